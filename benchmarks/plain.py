"""The rules as one would write them down in a hurry: bare Python loops, to compare with.

Each function plays one game of random legal moves and returns how many moves it had.
"""

from random import Random

STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1))
HOLES = [(r, c) for r in range(7) for c in range(7) if 2 <= r <= 4 or 2 <= c <= 4]


def empty_turns(dice: Random) -> int:
    """Nothing at all, 100,000 times: how fast this Python is."""
    for _ in range(100_000):
        pass
    return 100_000


def tapnswap(dice: Random) -> int:
    """Taps and swaps on lists of two hands."""
    own, other, moves = [1, 1], [1, 1], 0
    while sum(own):
        options = []
        for a in (0, 1):
            for b in (0, 1):
                if own[a] and other[b]:
                    after = other.copy()
                    after[b] = own[a] + other[b] if own[a] + other[b] < 5 else 0
                    options.append((own, after))
            for n in range(1, own[a] + 1):
                if own[1 - a] + n <= 4 and own[a] - n != own[1 - a]:
                    hands = own.copy()
                    hands[a] -= n
                    hands[1 - a] += n
                    options.append((hands, other))
        hands, after = options[int(dice.random() * len(options))]
        own, other, moves = after, hands, moves + 1
    return moves


def droids(dice: Random) -> int:
    """Both droids at once on 4 x 4 cells."""
    places, shots, points, rounds = [(2, 0), (2, 3)], [5, 5], [0, 0], 0
    while rounds < 50 and any(shots):
        actions, targets = [], []
        for (row, col), left in zip(places, shots, strict=True):
            cells = [(row + down, col + right) for down, right in STEPS]
            options = [cell for cell in cells if 0 <= cell[0] < 4 and 0 <= cell[1] < 4]
            chosen = int(dice.random() * (len(options) + (left > 0)))
            actions.append(chosen == len(options))
            targets.append((row, col) if actions[-1] else options[chosen])
        if targets[0] != targets[1] and targets != places[::-1]:
            places = targets
        (row, col), (row2, col2) = places
        hits = [fired and (row == row2 or col == col2) for fired in actions]
        shots = [left - fired for left, fired in zip(shots, actions, strict=True)]
        if hits[0] != hits[1]:
            points[hits[1]] += 1
        rounds += 1
    return 2 * rounds


def solitaire(dice: Random) -> int:
    """Jumps on a set of pegs."""
    pegs, moves = set(HOLES) - {(3, 3)}, 0
    board = set(HOLES)
    while True:
        options = []
        for row, col in pegs:
            for down, right in STEPS:
                over, target = (row + down, col + right), (row + 2 * down, col + 2 * right)
                if over in pegs and target in board and target not in pegs:
                    options.append(((row, col), over, target))
        if not options:
            return moves
        source, over, target = options[int(dice.random() * len(options))]
        pegs -= {source, over}
        pegs.add(target)
        moves += 1
