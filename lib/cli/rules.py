"""The rules of the five games for somebody who wants to play now, in a terminal."""

RULES = {
    "tapnswap": """\
Two players, two hands each, one finger raised on every hand. In turn you tap or swap.
Tap: touch a live hand of the other player with one of yours. Your fingers are added to that hand,
and with 5 or more it is dead. Your own hand stays as it is.
Swap: move fingers from one of your hands to the other, up to 4 on a hand. You may revive a dead
hand or empty one, but not end with what you had or its mirror image.
Who has no fingers left has lost.""",
    "chopsticks": """\
Two players, two hands each, one finger raised on every hand. In turn you tap or split.
Tap: touch a live hand of the other player, or your own other one, with one of yours. Your fingers
are added to that hand, and with 5 or more it is dead. The hand that taps stays as it is.
Split: move fingers from one of your hands to the other, so that each has 1 to 4. You may revive a
dead hand. Left and right don't matter: what you get must be new.
Who has no fingers left has lost.""",
    "droids": """\
Two droids on a board of 4 x 4 cells, 5 shots each. In every round both choose at the same time:
one cell up, down, left or right, or a shot. Moves come first; droids that would meet or swap
places stay where they are. Then a shot lights the whole row and column of the droid that fires.
A hit is a point; if both are hit, neither counts. 50 rounds, or until no shot is left.""",
    "2048": """\
Slide all tiles up, down, left or right. Equal tiles that meet become one of twice the value, and
the score grows by it. After each move a new 2 (or, rarely, 4) appears. Make 2048 to win, and go
on as long as a move changes the board.""",
    "solitaire": """\
A peg jumps over a neighbour into the empty hole behind it, along a row or a column; the peg that
was jumped over is taken away. Leave a single peg, in the centre.""",
}

HOW = """\
Answer with the number of a move or with some of its words. Also: hint, undo, rules, new, quit."""

KEYS = {
    "2048": "w a s d are up, left, down, right.",
    "droids": "w a s d are up, left, down, right; x is a shot.",
    "solitaire": 'A jump can be written "d2 d4".',
}
