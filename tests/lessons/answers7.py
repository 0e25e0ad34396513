"""The tournament: three entries that lose to nobody, and wrong ones with what a check must say."""

SETUP = """
import numpy as np
from lib.agents.baselines import Random
from lib.game import Agent
from lib.games.solitaire import SOLVED, START, flip, jumps
"""

RANDOM = """
class MyAgent(Agent):
    plays = "tapnswap"
    def act(self, game, state, player):
        return int(self.rng.choice(game.legal(state, player)))
"""

ANSWERS = {
    "my_agent": {
        "right": {
            "depth first": """
class MyAgent(Agent):
    plays = "solitaire"
    lost = set()
    def act(self, game, state, player):
        for a in jumps(state):
            if self.solve(flip(state, a)):
                return a
        return jumps(state)[-1]
    def solve(self, position):
        if position == SOLVED:
            return True
        if position in self.lost:
            return False
        for a in jumps(position):
            if self.solve(flip(position, a)):
                return True
        self.lost.add(position)
        return False
""",
            "a plan made at the start": """
class MyAgent(Agent):
    plays = "solitaire"
    def act(self, game, state, player):
        if state == START:
            self.plan, self.seen = [], set()
            self.search(state)
        return self.plan.pop()
    def search(self, position):
        if position == SOLVED:
            return True
        if position in self.seen:
            return False
        self.seen.add(position)
        for a in reversed(jumps(position)):
            if self.search(flip(position, a)):
                self.plan.append(a)
                return True
        return False
""",
            "a known solution": """
class MyAgent(Agent):
    plays = "solitaire"
    LINE = [7, 13, 0, 4, 20, 11, 22, 29, 32, 0, 30, 32, 40, 3, 45, 40, 66, 47, 50, 5, 35, 58, 8,
            65, 57, 74, 41, 72, 74, 63, 68]
    def act(self, game, state, player):
        return self.LINE[32 - state.bit_count()]
""",
        },
        "wrong": {
            "words": (
                RANDOM.replace("int(self.rng.choice(game.legal(state, player)))", "'tap'"),
                "It answered 'tap'",
            ),
            "an illegal move": (
                RANDOM.replace("int(self.rng.choice(game.legal(state, player)))", "99"),
                "It answered 99",
            ),
            "no game": (RANDOM.replace('"tapnswap"', '"chess"'), "no game is called 'chess'"),
            "says nothing": (
                RANDOM.replace("return int(self.rng.choice(game.legal(state, player)))", "pass"),
                "It answered None",
            ),
            "raises": (
                RANDOM.replace("return int", "return 1 // 0 + int"),
                "ZeroDivisionError",
            ),
        },
    }
}
