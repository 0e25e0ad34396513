"""Lesson 3: right answers written differently, and wrong ones with what a check must say."""

from lib.grading import lesson3

lesson3.SETTINGS["rounds"] = 40_000  # enough to tell answers apart; the grader takes 1,240,000

SETUP = """
from abc import ABC, abstractmethod

import numpy as np

from lib.games.droid_round import Action, play_round


class Agent(ABC):
    def clear(self):
        pass

    @abstractmethod
    def get_best_move(self, self_droid, adv_droid, score_change, training):
        pass


def after(me, it, mine, its):
    me, it = me.copy(), it.copy()
    gain = play_round(me, it, (mine, its))
    return me, it, gain
"""

ENOUGH = {"QAgent": 19, "MinimaxAgent": 14}  # a share of games: hardly ever all


def method(name: str, *lines: str) -> str:
    """A method of the droid, as its answer cell has it."""
    arguments = {
        "copy": "self",
        "move_location": "self, move",
        "shoot": "self, other, move",
        "available_actions": "self",
    }
    body = "\n".join(f"    {line}" for line in lines)
    return f"def {name}({arguments[name]}):\n{body}\n\n\nR2Droid.{name} = {name}\n"


def choice(name: str, arguments: str, *lines: str, says: str = "") -> str:
    """A choice of the student's own, with its sentence."""
    said = says or "It is what the game is decided by, and nothing else matters much."
    body = "\n".join(f"    {line}" for line in lines)
    sentence = f"def {name}_choice():\n    return {said!r}\n"
    return f"def {name}({arguments}):\n{body}\n\n\n{sentence}"


def state(*lines: str, says: str = "") -> str:
    return choice("state", "self_droid, adv_droid", *lines, says=says)


def reward(*lines: str, says: str = "") -> str:
    return choice("reward", "score_change, self_droid, adv_droid", *lines, says=says)


def evaluate(*lines: str, says: str = "") -> str:
    return choice("evaluate", "me, it", *lines, says=says)


def q_agent(
    learn: str = "training and self.last is not None",
    target: str = "reward(score_change, self_droid, adv_droid) + 0.9 * max(values.values())",
    explore: str = "training and self.rng.random() < 0.3",
    answer: str = "action",
    epilogue: str = "self.last = s, action",
) -> str:
    """A Q agent with one part changed."""
    return f"""
class QAgent(Agent):
    def __init__(self):
        self.Q, self.last, self.rng = {{}}, None, np.random.default_rng()

    def clear(self):
        self.last = None

    def get_best_move(self, self_droid, adv_droid, score_change, training):
        s = state(self_droid, adv_droid)
        if s not in self.Q:
            self.Q[s] = {{a: 0.0 for a in self_droid.available_actions()}}
        values = self.Q[s]
        if {learn}:
            old, a = self.last
            self.Q[old][a] += 0.1 * ({target} - self.Q[old][a])
        if {explore}:
            action = list(values)[self.rng.integers(len(values))]
        else:
            action = max(values, key=lambda a: (values[a], self.rng.random()))
        {epilogue}
        return {answer}
"""


def minimax_agent(
    worth: str = "min(row) + 0.1 * sum(row) / len(row)",
    choose: str = "max(values, key=lambda a: (round(values[a], 9), self.rng.random()))",
    prelude: str = "",
) -> str:
    """A minimax agent of depth 2 that remembers what it has searched, with one part changed."""
    return f"""
class MinimaxAgent(Agent):
    def __init__(self):
        self.rng, self.known = np.random.default_rng(), {{}}

    def rows(self, me, it, depth):
        found = {{}}
        for mine in me.available_actions():
            found[mine] = []
            for its in it.available_actions():
                a, b, gain = after(me, it, mine, its)
                found[mine].append(gain + self.value(a, b, depth - 1))
        return found

    def value(self, me, it, depth):
        if depth == 0 or me.shots + it.shots == 0:
            return evaluate(me, it)
        key = me.location, it.location, me.shots, it.shots, depth
        if key not in self.known:
            self.known[key] = max(min(row) for row in self.rows(me, it, depth).values())
        return self.known[key]

    def get_best_move(self, self_droid, adv_droid, score_change, training):
        {prelude or "pass"}
        rows = self.rows(self_droid, adv_droid, 2)
        values = {{a: {worth} for a, row in rows.items()}}
        return {choose}
"""


ANSWERS = {
    "R2Droid": {
        "right": {
            "fields": """
class R2Droid:
    def __init__(self, rows, cols, location, shots):
        self._rows, self._cols, self.location, self.shots = rows, cols, location, shots
""",
            "a dataclass": """
from dataclasses import dataclass

@dataclass
class R2Droid:
    rows: int
    cols: int
    location: tuple
    shots: int
""",
            "slots and defaults": """
class R2Droid:
    __slots__ = ("location", "shots", "rows", "cols")
    def __init__(self, rows=4, cols=4, location=(0, 0), shots=5):
        self.rows = rows
        self.cols = cols
        self.location = tuple(location)
        self.shots = shots
""",
        },
        "wrong": {
            "local variables": (
                """
class R2Droid:
    def __init__(self, rows, cols, location, shots):
        location, shots = location, shots
""",
                "no attribute 'location'",
            ),
            "another name": (
                """
class R2Droid:
    def __init__(self, rows, cols, location, shots):
        self.position, self.shots = location, shots
""",
                "no attribute 'location'",
            ),
            "always five shots": (
                """
class R2Droid:
    def __init__(self, rows, cols, location, shots):
        self.location, self.shots = location, 5
""",
                "The field `shots` is not what",
            ),
            "mixed up": (
                """
class R2Droid:
    def __init__(self, location, shots, rows, cols):
        self.location, self.shots = location, shots
""",
                "expected",
            ),
            "fields of the class": (
                """
class R2Droid:
    def __init__(self, rows, cols, location, shots):
        R2Droid.location, R2Droid.shots = location, shots
""",
                "share their fields",
            ),
            "no constructor": ("class R2Droid:\n    pass\n", "TypeError"),
        },
    },
    "copy": {
        "right": {
            "by the class's name": method(
                "copy", "return R2Droid(self._rows, self._cols, self.location, self.shots)"
            ),
            "by the module copy": method("copy", "import copy as c", "return c.copy(self)"),
            "field by field": method(
                "copy",
                "new = R2Droid.__new__(R2Droid)",
                "new.__dict__.update(self.__dict__)",
                "return new",
            ),
        },
        "wrong": {
            "itself": (method("copy", "return self"), "Changing the copy changed the droid"),
            "no return": (
                method("copy", "R2Droid(self._rows, self._cols, self.location, self.shots)"),
                "is there a `return`",
            ),
            "five shots": (
                method("copy", "return R2Droid(self._rows, self._cols, self.location, 5)"),
                "than the droid has *now*",
            ),
            "four by four": (
                method("copy", "return R2Droid(4, 4, self.location, self.shots)"),
                "board of another size",
            ),
            "rows and columns mixed up": (
                method("copy", "return R2Droid(self._cols, self._rows, self.location, self.shots)"),
                "board of another size",
            ),
            "a tuple": (method("copy", "return self.location, self.shots"), "AttributeError"),
        },
    },
    "move_location": {
        "right": {
            "a table of steps": method(
                "move_location",
                "steps = {Action.MOVE_UP: (-1, 0), Action.MOVE_DOWN: (1, 0),",
                "         Action.MOVE_LEFT: (0, -1), Action.MOVE_RIGHT: (0, 1)}",
                "down, right = steps.get(move, (0, 0))",
                "r, c = self.location[0] + down, self.location[1] + right",
                "if 0 <= r < self._rows and 0 <= c < self._cols:",
                "    self.location = (r, c)",
            ),
            "clipped": method(
                "move_location",
                "r, c = self.location",
                "r += (move is Action.MOVE_DOWN) - (move is Action.MOVE_UP)",
                "c += (move is Action.MOVE_RIGHT) - (move is Action.MOVE_LEFT)",
                "self.location = min(max(r, 0), self._rows - 1), min(max(c, 0), self._cols - 1)",
            ),
            "by names": method(
                "move_location",
                "r, c = self.location",
                "match move.name:",
                "    case 'MOVE_UP': r -= r > 0",
                "    case 'MOVE_DOWN': r += r + 1 < self._rows",
                "    case 'MOVE_LEFT': c -= c > 0",
                "    case 'MOVE_RIGHT': c += c + 1 < self._cols",
                "self.location = (r, c)",
            ),
        },
        "wrong": {
            "through walls": (
                method(
                    "move_location",
                    "r, c = self.location",
                    "r += (move is Action.MOVE_DOWN) - (move is Action.MOVE_UP)",
                    "c += (move is Action.MOVE_RIGHT) - (move is Action.MOVE_LEFT)",
                    "self.location = (r, c)",
                ),
                "Check the walls",
            ),
            "x and y": (
                method(
                    "move_location",
                    "r, c = self.location",
                    "c += (move is Action.MOVE_DOWN) - (move is Action.MOVE_UP)",
                    "r += (move is Action.MOVE_RIGHT) - (move is Action.MOVE_LEFT)",
                    "if 0 <= r < self._rows and 0 <= c < self._cols:",
                    "    self.location = (r, c)",
                ),
                "Up is row - 1",
            ),
            "rows for columns": (
                method(
                    "move_location",
                    "r, c = self.location",
                    "r += (move is Action.MOVE_DOWN) - (move is Action.MOVE_UP)",
                    "c += (move is Action.MOVE_RIGHT) - (move is Action.MOVE_LEFT)",
                    "if 0 <= r < self._cols and 0 <= c < self._rows:",
                    "    self.location = (r, c)",
                ),
                "and not the reverse",
            ),
            "round the world": (
                method(
                    "move_location",
                    "r, c = self.location",
                    "r += (move is Action.MOVE_DOWN) - (move is Action.MOVE_UP)",
                    "c += (move is Action.MOVE_RIGHT) - (move is Action.MOVE_LEFT)",
                    "self.location = (r % self._rows, c % self._cols)",
                ),
                "Check the walls",
            ),
            "returns it": (
                method(
                    "move_location",
                    "r, c = self.location",
                    "return (r + (move is Action.MOVE_DOWN), c)",
                ),
                "Up is row - 1",
            ),
            "a shot is a step right": (
                method(
                    "move_location",
                    "r, c = self.location",
                    "r += {Action.MOVE_UP: -1, Action.MOVE_DOWN: 1}.get(move, 0)",
                    "c += {Action.MOVE_LEFT: -1}.get(move, 0 if r != self.location[0] else 1)",
                    "if 0 <= r < self._rows and 0 <= c < self._cols:",
                    "    self.location = (r, c)",
                ),
                "SHOOT is no step",
            ),
        },
    },
    "shoot": {
        "right": {
            "early return": method(
                "shoot",
                "if move is not Action.SHOOT:",
                "    return False",
                "if self.shots <= 0:",
                "    return False",
                "self.shots -= 1",
                "return any(a == b for a, b in zip(self.location, other.location))",
            ),
            "one condition": method(
                "shoot",
                "fires = move == Action.SHOOT and self.shots > 0",
                "self.shots -= fires",
                "r, c = other.location",
                "return fires and (self.location[0] == r or self.location[1] == c)",
            ),
            "by distance": method(
                "shoot",
                "if move.value != 5 or not self.shots:",
                "    return False",
                "self.shots = self.shots - 1",
                "down = self.location[0] - other.location[0]",
                "right = self.location[1] - other.location[1]",
                "return down * right == 0",
            ),
        },
        "wrong": {
            "a miss is free": (
                method(
                    "shoot",
                    "if move is not Action.SHOOT or self.shots == 0:",
                    "    return False",
                    "hit = any(a == b for a, b in zip(self.location, other.location))",
                    "self.shots -= hit",
                    "return hit",
                ),
                "hit or miss",
            ),
            "below zero": (
                method(
                    "shoot",
                    "if move is not Action.SHOOT:",
                    "    return False",
                    "self.shots -= 1",
                    "return any(a == b for a, b in zip(self.location, other.location))",
                ),
                "With no shot left",
            ),
            "any action fires": (
                method(
                    "shoot",
                    "if self.shots == 0:",
                    "    return False",
                    "self.shots -= 1",
                    "return any(a == b for a, b in zip(self.location, other.location))",
                ),
                "Only `Action.SHOOT` fires",
            ),
            "the row alone": (
                method(
                    "shoot",
                    "if move is not Action.SHOOT or self.shots == 0:",
                    "    return False",
                    "self.shots -= 1",
                    "return self.location[0] == other.location[0]",
                ),
                "A beam fills",
            ),
            "diagonals too": (
                method(
                    "shoot",
                    "if move is not Action.SHOOT or self.shots == 0:",
                    "    return False",
                    "self.shots -= 1",
                    "(r, c), (s, d) = self.location, other.location",
                    "return r == s or c == d or abs(r - s) == abs(c - d)",
                ),
                "neither in the row nor in the column",
            ),
            "no return for a miss": (
                method(
                    "shoot",
                    "if move is Action.SHOOT and self.shots:",
                    "    self.shots -= 1",
                    "    if any(a == b for a, b in zip(self.location, other.location)):",
                    "        return True",
                ),
                "is there a `return` on every way",
            ),
            "the other pays": (
                method(
                    "shoot",
                    "if move is not Action.SHOOT or self.shots == 0:",
                    "    return False",
                    "other.shots -= 1",
                    "return any(a == b for a, b in zip(self.location, other.location))",
                ),
                "fills the whole row",
            ),
        },
    },
    "available_actions": {
        "right": {
            "conditions": method(
                "available_actions",
                "r, c = self.location",
                "found = set()",
                "if r > 0: found.add(Action.MOVE_UP)",
                "if r < self._rows - 1: found.add(Action.MOVE_DOWN)",
                "if c > 0: found.add(Action.MOVE_LEFT)",
                "if c < self._cols - 1: found.add(Action.MOVE_RIGHT)",
                "if self.shots > 0: found.add(Action.SHOOT)",
                "return found",
            ),
            "taking away": method(
                "available_actions",
                "r, c = self.location",
                "found = set(Action)",
                "found -= {Action.MOVE_UP} if r == 0 else set()",
                "found -= {Action.MOVE_DOWN} if r + 1 == self._rows else set()",
                "found -= {Action.MOVE_LEFT} if c == 0 else set()",
                "found -= {Action.MOVE_RIGHT} if c + 1 == self._cols else set()",
                "return found if self.shots else found - {Action.SHOOT}",
            ),
            "trying copies": method(
                "available_actions",
                "def works(action):",
                "    twin = self.copy()",
                "    twin.move_location(action)",
                "    return twin.location != self.location",
                "return frozenset(a for a in Action if (self.shots if a is Action.SHOOT "
                "else works(a)))",
            ),
        },
        "wrong": {
            "a list": (method("available_actions", "return list(Action)"), "return a set"),
            "everything": (method("available_actions", "return set(Action)"), "towards a wall"),
            "always a shot": (
                method(
                    "available_actions",
                    "def works(action):",
                    "    twin = self.copy()",
                    "    twin.move_location(action)",
                    "    return twin.location != self.location",
                    "return {a for a in Action if a is Action.SHOOT or works(a)}",
                ),
                "just if a shot is left",
            ),
            "one too far": (
                method(
                    "available_actions",
                    "r, c = self.location",
                    "found = {Action.SHOOT} if self.shots else set()",
                    "if r > 0: found.add(Action.MOVE_UP)",
                    "if r < self._rows: found.add(Action.MOVE_DOWN)",
                    "if c > 0: found.add(Action.MOVE_LEFT)",
                    "if c < self._cols: found.add(Action.MOVE_RIGHT)",
                    "return found",
                ),
                "towards a wall",
            ),
            "it walks": (
                method(
                    "available_actions",
                    "here, found = self.location, {Action.SHOOT} if self.shots else set()",
                    "for action in set(Action) - {Action.SHOOT}:",
                    "    self.location = here",
                    "    self.move_location(action)",
                    "    if self.location != here: found.add(action)",
                    "return found",
                ),
                "moved the droid itself",
            ),
            "no return": (
                method("available_actions", "found = set(Action)"),
                "It returned None",
            ),
        },
    },
    "state": {
        "right": {
            "everything": state(
                "return (self_droid.location, adv_droid.location, self_droid.shots, "
                "adv_droid.shots)"
            ),
            "where it is from here, and who is armed": state(
                "(r, c), (s, d) = self_droid.location, adv_droid.location",
                "return r, c, s - r, d - c, self_droid.shots > 0, adv_droid.shots > 0",
            ),
            "a string": state(
                "places = f'{self_droid.location} {adv_droid.location}'",
                "return f'{places} {min(self_droid.shots, 2)} {min(adv_droid.shots, 2)}'",
            ),
        },
        "wrong": {
            "no sentence": (
                state("return self_droid.location, adv_droid.location", says="..."),
                "returns your choice and why",
            ),
            "places alone": (
                state("return self_droid.location, adv_droid.location"),
                "when to shoot or to dodge",
            ),
            "its own place": (
                state("return self_droid.location, self_droid.shots, adv_droid.shots"),
                "in the other not, and both are the same state",
            ),
            "a list": (
                state(
                    "return [*self_droid.location, *adv_droid.location, self_droid.shots, "
                    "adv_droid.shots]"
                ),
                "unhashable",
            ),
            "dice in it": (
                state(
                    "return (self_droid.location, adv_droid.location, self_droid.shots, "
                    "adv_droid.shots, np.random.default_rng().random())"
                ),
                "never met again",
            ),
            "the droid itself": (state("return self_droid, adv_droid"), "return plain numbers"),
            "rows of a droid": (
                state("return self_droid.rows, self_droid.location, adv_droid.location"),
                "no attribute 'rows'",
            ),
            "nothing": (state("pass"), "is there a `return`"),
        },
    },
    "reward": {
        "right": {
            "points": reward("return score_change"),
            "points lost hurt more": reward("return 2.0 * score_change - (score_change < 0)"),
            "a little for shots saved": reward(
                "return score_change + 0.001 * (self_droid.shots - adv_droid.shots)"
            ),
        },
        "wrong": {
            "no sentence": (
                reward("return score_change", says="..."),
                "returns your choice and why",
            ),
            "hits only": (reward("return max(score_change, 0)"), "none more than a point lost"),
            "the wrong way": (reward("return -score_change"), "must be worth more than none"),
            "corners pay": (
                reward(
                    "corner = self_droid.location in [(0, 0), (0, 3), (3, 0), (3, 3)]",
                    "return score_change + 2 * corner",
                ),
                "outweighs them",
            ),
            "in words": (reward("return 'good' if score_change > 0 else 'bad'"), "finite number"),
            "no return": (reward("score_change * 2"), "is there a `return`"),
        },
    },
    "QAgent": {
        "right": {
            "ties at random": q_agent(),
            "more exploration": q_agent(explore="training and self.rng.random() < 0.4"),
            "a minimum of fuss": q_agent(
                learn="training and self.last", epilogue="self.last = (s, action)"
            ),
        },
        "wrong": {
            "never learns": (q_agent(learn="False"), "learn from the last round"),
            "explores in the match": (
                q_agent(explore="self.rng.random() < 0.6"),
                "stop exploring",
            ),
            "clear forgets the table": (
                q_agent().replace("        self.last = None\n", "        self.__init__()\n", 1),
                "Does `clear` keep what was learned",
            ),
            "the wrong way round": (
                q_agent(
                    target="-reward(score_change, self_droid, adv_droid)"
                    " + 0.9 * max(values.values())"
                ),
                "lost of 100",
            ),
            "a number": (q_agent(answer="action.value"), "return an `Action`"),
            "always shoots": (q_agent(answer="Action.SHOOT"), "which is not available"),
            "uses more of a droid": (
                q_agent(learn="training and self_droid.rows"),
                "no attribute 'rows'",
            ),
        },
    },
    "evaluate": {
        "right": {
            "shots": evaluate("return 0.3 * (me.shots - it.shots)"),
            "shots and the middle": evaluate(
                "middle = 0.01 * (me.location in [(1, 1), (1, 2), (2, 1), (2, 2)])",
                "return 0.25 * me.shots - 0.25 * it.shots + middle",
            ),
            "the first shots count most": evaluate(
                "worth = [0, 0.4, 0.75, 1.05, 1.3, 1.5, 1.65]",
                "return worth[me.shots] - worth[it.shots]",
            ),
        },
        "wrong": {
            "no sentence": (
                evaluate("return me.shots - it.shots", says="..."),
                "returns your choice and why",
            ),
            "nothing": (evaluate("return 0"), "With one shot more of your own"),
            "own shots alone": (
                evaluate("return 0.3 * me.shots"),
                "With one shot more of the other's",
            ),
            "the wrong sign": (
                evaluate("return 0.3 * (it.shots - me.shots)"),
                "With one shot more of your own",
            ),
            "too dear": (evaluate("return 2.0 * (me.shots - it.shots)"), "would never fire"),
            "no return": (evaluate("0.3 * (me.shots - it.shots)"), "is there a `return`"),
            "a field that is not there": (
                evaluate("return 0.3 * (me.points - it.points)"),
                "no attribute 'points'",
            ),
        },
    },
    "MinimaxAgent": {
        "right": {
            "a memory": minimax_agent(),
            "safe, then hopeful": minimax_agent(
                worth="(round(min(row), 9), round(sum(row) / len(row), 9))",
                choose="max(values, key=lambda a: (values[a], self.rng.random()))",
            ),
            "a little more hope": minimax_agent(worth="min(row) + 0.2 * sum(row) / len(row)"),
        },
        "wrong": {
            "safe and no more": (minimax_agent(worth="min(row)"), "gains most if the other errs"),
            "too hopeful": (minimax_agent(worth="max(row)"), "too hopeful"),
            "the worst action": (
                minimax_agent(
                    choose="min(values, key=lambda a: (round(values[a], 9), self.rng.random()))"
                ),
                "It loses",
            ),
            "the points of a round left out": (
                minimax_agent().replace("gain + self.value", "self.value"),
                "are the points of every round added",
            ),
            "raises now and then": (
                minimax_agent(prelude="1 / (self.rng.random() > 0.02)"),
                "of them lost like this: It raised ZeroDivisionError",
            ),
            "cheats": (
                minimax_agent(choose="Action.SHOOT"),
                "which is not available",
            ),
        },
    },
}
