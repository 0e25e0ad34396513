"""Lesson 1: right answers written differently, and wrong ones with what a check must say."""

SETUP = """
import numpy as np
from lib.agents.tables import new_table
"""

EPISODE = """
def episode(Q, moves, start, opponent, epsilon, alpha, gamma, rng):
    s = start
    for _ in range(200):
        a = epsilon_greedy(Q[s], list(moves[s]), epsilon, rng)
        theirs = moves[s][a]
        if not moves[theirs]:
            q_update(Q, s, a, 1, theirs, [], alpha, gamma)
            return 1
        next_s = moves[theirs][opponent(theirs)]
        reward = 0 if moves[next_s] else -1
        q_update(Q, s, a, reward, next_s, list(moves[next_s]), alpha, gamma)
        if reward:
            return reward
        s = next_s
    return 0
"""

TRAIN = """
def train(moves, start, rng):
    Q = new_table(moves)
    opponent = lambda s: int(rng.choice(list(moves[s])))
    for game in range(GAMES):
        first = start if game % 2 == 0 else moves[start][opponent(start)]
        episode(Q, moves, first, opponent, epsilon=EPSILON, alpha=ALPHA, gamma=GAMMA, rng=rng)
    return Q
"""

SELF_PLAY = """
def self_play(moves, start, games, epsilon, alpha, gamma, rng):
    Q = new_table(moves)
    for _ in range(games):
        s = start
        for _ in range(200):
            a = epsilon_greedy(Q[s], list(moves[s]), epsilon, rng)
            next_s = moves[s][a]
            reward = 0 if moves[next_s] else 1
            q_update(Q, s, a, reward, next_s, list(moves[next_s]), alpha, -gamma)
            if reward:
                break
            s = next_s
    return Q
"""


def train(games: int = 6000, epsilon: float = 0.5, alpha: float = 0.3, gamma: float = 1.0) -> str:
    """A training loop with these settings."""
    settings = {"GAMES": games, "EPSILON": epsilon, "ALPHA": alpha, "GAMMA": gamma}
    source = TRAIN
    for name, value in settings.items():
        source = source.replace(name, str(value))
    return source


ANSWERS = {
    "tap": {
        "right": {
            "lists": """
def tap(position, tapping, tapped):
    own, other = position
    hands = list(other)
    hands[tapped] = hands[tapped] + own[tapping]
    if hands[tapped] > 4:
        hands[tapped] = 0
    return [hands, list(own)]
""",
            "one expression": """
def tap(position, tapping, tapped):
    own, other = position
    total = own[tapping] + other[tapped]
    new = total * (total < 5)
    return ((new, other[1]) if tapped == 0 else (other[0], new)), own
""",
            "arrays": """
def tap(position, tapping, tapped):
    hands = np.array(position)
    hands[1, tapped] += hands[0, tapping]
    hands[1][hands[1] >= 5] = 0
    return hands[::-1]
""",
        },
        "wrong": {
            "own hands first": (
                """
def tap(position, tapping, tapped):
    own, other = position
    hands = list(other)
    hands[tapped] += own[tapping]
    if hands[tapped] >= 5:
        hands[tapped] = 0
    return own, tuple(hands)
""",
                "other player's turn",
            ),
            "more than five": (
                """
def tap(position, tapping, tapped):
    own, other = position
    hands = list(other)
    hands[tapped] += own[tapping]
    if hands[tapped] > 5:
        hands[tapped] = 0
    return tuple(hands), own
""",
                "exactly 5 kills",
            ),
            "nobody dies": (
                """
def tap(position, tapping, tapped):
    own, other = position
    hands = list(other)
    hands[tapped] += own[tapping]
    return tuple(hands), own
""",
                "is dead: it has 0",
            ),
            "roll-over": (
                """
def tap(position, tapping, tapped):
    own, other = position
    hands = list(other)
    hands[tapped] = (hands[tapped] + own[tapping]) % 5
    return tuple(hands), own
""",
                "does not start again",
            ),
            "own hand grows": (
                """
def tap(position, tapping, tapped):
    own, other = position
    hands = list(own)
    hands[tapping] += other[tapped]
    if hands[tapping] >= 5:
        hands[tapping] = 0
    return other, tuple(hands)
""",
                "your own hand stays",
            ),
            "tuples can't be changed": (
                """
def tap(position, tapping, tapped):
    own, other = position
    other[tapped] += own[tapping]
    return other, own
""",
                "TypeError",
            ),
            "no return": (
                """
def tap(position, tapping, tapped):
    own, other = position
    hands = list(other)
    hands[tapped] += own[tapping]
""",
                "is there a `return`",
            ),
        },
    },
    "legal_actions": {
        "right": {
            "by result": """
def legal_actions(position):
    own, other = position
    actions = []
    for kind in (1, 0):
        for hand in (1, 0):
            for n in range(5):
                if kind == 0 and n < 2 and own[hand] > 0 and other[n] > 0:
                    actions.append([0, hand, n])
                if kind == 1 and 1 <= n <= own[hand]:
                    after = sorted([own[hand] - n, own[1 - hand] + n])
                    if after != sorted(own) and after[1] <= 4:
                        actions.append([1, hand, n])
    return actions
""",
            "a set": """
def legal_actions(position):
    (a, b), other = position
    own = (a, b)
    taps = {(0, i, j) for i in range(2) for j in range(2) if own[i] * other[j] > 0}
    left = {(1, 0, n) for n in range(1, a + 1) if b + n < 5 and (a - n, b + n) != (b, a)}
    right = {(1, 1, n) for n in range(1, b + 1) if a + n < 5 and (a + n, b - n) != (b, a)}
    return taps | left | right
""",
            "a tuple": """
def legal_actions(position):
    own, other = position
    found = ()
    for i in (0, 1):
        for j in (0, 1):
            if own[i] != 0 and other[j] != 0:
                found += ((0, i, j),)
        for n in (1, 2, 3):
            if n <= own[i] and own[1 - i] + n <= 4 and own[i] - n != own[1 - i]:
                found += ((1, i, n),)
    return found
""",
        },
        "wrong": {
            "dead hands tap": (
                """
def legal_actions(position):
    own, other = position
    actions = [(0, i, j) for i in (0, 1) for j in (0, 1)]
    for g in (0, 1):
        for n in range(1, own[g] + 1):
            if own[1 - g] + n <= 4 and own[g] - n != own[1 - g]:
                actions.append((1, g, n))
    return actions
""",
                "Only live hands",
            ),
            "mirror images": (
                """
def legal_actions(position):
    own, other = position
    actions = [(0, i, j) for i in (0, 1) for j in (0, 1) if own[i] and other[j]]
    for g in (0, 1):
        for n in range(1, own[g] + 1):
            if own[1 - g] + n <= 4:
                actions.append((1, g, n))
    return actions
""",
                "mirror image",
            ),
            "no hand may be emptied": (
                """
def legal_actions(position):
    own, other = position
    actions = [(0, i, j) for i in (0, 1) for j in (0, 1) if own[i] and other[j]]
    for g in (0, 1):
        for n in range(1, own[g]):
            if own[1 - g] + n <= 4 and own[g] - n != own[1 - g]:
                actions.append((1, g, n))
    return actions
""",
                "may empty a hand",
            ),
            "hands of five": (
                """
def legal_actions(position):
    own, other = position
    actions = [(0, i, j) for i in (0, 1) for j in (0, 1) if own[i] and other[j]]
    for g in (0, 1):
        for n in range(1, own[g] + 1):
            if own[g] - n != own[1 - g]:
                actions.append((1, g, n))
    return actions
""",
                "more than 4 fingers",
            ),
            "no revival": (
                """
def legal_actions(position):
    own, other = position
    actions = [(0, i, j) for i in (0, 1) for j in (0, 1) if own[i] and other[j]]
    for g in (0, 1):
        for n in range(1, own[g] + 1):
            if own[1 - g] and own[1 - g] + n <= 4 and own[g] - n != own[1 - g]:
                actions.append((1, g, n))
    return actions
""",
                "may be revived",
            ),
            "taps only": (
                """
def legal_actions(position):
    own, other = position
    return [(0, i, j) for i in (0, 1) for j in (0, 1) if own[i] and other[j]]
""",
                "swaps are missing",
            ),
        },
    },
    "action_codes": {
        "right": {
            "a table": """
ALL = [(0, i, j) for i in (0, 1) for j in (0, 1)] + [(1, g, n) for g in (0, 1) for n in (1, 2, 3)]
def encode(action):
    return ALL.index(tuple(action))
def decode(number):
    return ALL[number]
""",
            "divmod": """
def encode(action):
    kind, hand, n = action
    return (hand * 2 + n) if not kind else (3 + hand * 3 + n)
def decode(number):
    if number < 4:
        return [0, *divmod(number, 2)]
    hand, n = divmod(number - 4, 3)
    return [1, hand, n + 1]
""",
            "a dict": """
CODES = {(0, 0, 0): 0, (0, 0, 1): 1, (0, 1, 0): 2, (0, 1, 1): 3}
CODES.update({(1, g, n): 3 + 3 * g + n for g in range(2) for n in range(1, 4)})
def encode(action):
    return np.int64(CODES[tuple(action)])
def decode(number):
    return {v: k for k, v in CODES.items()}[number]
""",
        },
        "wrong": {
            "n from 0": (
                """
def encode(action):
    kind, hand, n = action
    return 2 * hand + n if kind == 0 else 4 + 3 * hand + n
def decode(number):
    tap, swap = divmod(number, 2), divmod(number - 4, 3)
    return (0, *tap) if number < 4 else (1, swap[0], swap[1] + 1)
""",
                "begins at 1",
            ),
            "swaps from 0": (
                """
def encode(action):
    kind, hand, n = action
    return 2 * hand + n if kind == 0 else 3 * hand + n - 1
def decode(number):
    tap, swap = divmod(number, 2), divmod(number - 4, 3)
    return (0, *tap) if number < 4 else (1, swap[0], swap[1] + 1)
""",
                "after the four taps",
            ),
            "hands the wrong way round": (
                """
def encode(action):
    kind, hand, n = action
    return hand + 2 * n if kind == 0 else 4 + 3 * hand + n - 1
def decode(number):
    tap, swap = divmod(number, 2), divmod(number - 4, 3)
    return (0, *tap[::-1]) if number < 4 else (1, swap[0], swap[1] + 1)
""",
                "counts twice",
            ),
            "decoded from 0": (
                """
def encode(action):
    kind, hand, n = action
    return 2 * hand + n if kind == 0 else 3 + 3 * hand + n
def decode(number):
    return (0, number // 2, number % 2) if number < 4 else (1, (number - 4) // 3, (number - 4) % 3)
""",
                "n runs from 1 to 3",
            ),
            "no inverse": (
                """
def encode(action):
    kind, hand, n = action
    return 2 * hand + n if kind == 0 else 3 + 3 * hand + n
def decode(number):
    return (0, number // 2, number % 2) if number < 4 else (1, number // 7, number % 3 + 1)
""",
                "the inverse of encode",
            ),
            "only half written": (
                """
def encode(action):
    kind, hand, n = action
    return 2 * hand + n if kind == 0 else 3 + 3 * hand + n
def decode(number):
    pass
""",
                "is there a `return`",
            ),
        },
    },
    "epsilon_greedy": {
        "right": {
            "numpy": """
def epsilon_greedy(values, legal, epsilon, rng):
    legal = np.array(legal)
    if rng.uniform() < epsilon:
        return rng.choice(legal)
    v = values[legal]
    return rng.choice(legal[v == v.max()])
""",
            "random keys": """
def epsilon_greedy(values, legal, epsilon, rng):
    explore = rng.random() < epsilon
    return max(legal, key=lambda a: (0 if explore else values[a], rng.random()))
""",
            "shuffled": """
def epsilon_greedy(values, legal, epsilon, rng):
    order = [int(a) for a in rng.permutation(legal)]
    if rng.random() >= epsilon:
        order.sort(key=lambda a: -values[a])
    return order[0]
""",
        },
        "wrong": {
            "argmax over all": (
                """
def epsilon_greedy(values, legal, epsilon, rng):
    if rng.random() < epsilon:
        return int(rng.choice(legal))
    return int(np.argmax(values))
""",
                "not legal",
            ),
            "the first of equals": (
                """
def epsilon_greedy(values, legal, epsilon, rng):
    if rng.random() < epsilon:
        return int(rng.choice(legal))
    return max(legal, key=lambda a: values[a])
""",
                "break ties at random",
            ),
            "epsilon turned round": (
                """
def epsilon_greedy(values, legal, epsilon, rng):
    if rng.random() > epsilon:
        return int(rng.choice(legal))
    best = max(values[a] for a in legal)
    return int(rng.choice([a for a in legal if values[a] == best]))
""",
                "not among the best",
            ),
            "explores everything": (
                """
def epsilon_greedy(values, legal, epsilon, rng):
    if rng.random() < epsilon:
        return int(rng.integers(10))
    best = max(values[a] for a in legal)
    return int(rng.choice([a for a in legal if values[a] == best]))
""",
                "it should in",
            ),
            "dice of its own": (
                """
def epsilon_greedy(values, legal, epsilon, rng):
    if np.random.random() < epsilon:
        return int(np.random.choice(legal))
    best = max(values[a] for a in legal)
    return int(np.random.choice([a for a in legal if values[a] == best]))
""",
                "draw from `rng`",
            ),
            "the place, not the action": (
                """
def epsilon_greedy(values, legal, epsilon, rng):
    if rng.random() < epsilon:
        return int(rng.integers(len(legal)))
    return int(np.argmax(np.array(values)[legal]))
""",
                "legal",
            ),
        },
    },
    "q_update": {
        "right": {
            "numpy": """
def q_update(Q, s, a, reward, next_s, next_legal, alpha, gamma):
    future = np.max(Q[next_s][next_legal]) if len(next_legal) else 0.0
    Q[s][a] = (1 - alpha) * Q[s][a] + alpha * (reward + gamma * future)
""",
            "default": """
def q_update(Q, s, a, reward, next_s, next_legal, alpha, gamma):
    target = reward + gamma * max((Q[next_s][b] for b in next_legal), default=0)
    error = target - Q[s][a]
    Q[s][a] += alpha * error
    return error
""",
            "a new row": """
def q_update(Q, s, a, reward, next_s, next_legal, alpha, gamma):
    row = Q[s].copy()
    if not next_legal:
        row[a] += alpha * (reward - row[a])
    else:
        row[a] += alpha * (reward + gamma * max([Q[next_s][b] for b in next_legal]) - row[a])
    Q[s] = row
""",
        },
        "wrong": {
            "maximum over all": (
                """
def q_update(Q, s, a, reward, next_s, next_legal, alpha, gamma):
    future = Q[next_s].max() if next_legal else 0
    Q[s][a] += alpha * (reward + gamma * future - Q[s][a])
""",
                "legal actions alone",
            ),
            "goes on after the end": (
                """
def q_update(Q, s, a, reward, next_s, next_legal, alpha, gamma):
    values = [Q[next_s][b] for b in next_legal] or list(Q[next_s])
    Q[s][a] += alpha * (reward + gamma * max(values) - Q[s][a])
""",
                "Nothing follows the end",
            ),
            "no gamma": (
                """
def q_update(Q, s, a, reward, next_s, next_legal, alpha, gamma):
    future = max((Q[next_s][b] for b in next_legal), default=0)
    Q[s][a] += alpha * (reward + future - Q[s][a])
""",
                "gamma times",
            ),
            "all the way": (
                """
def q_update(Q, s, a, reward, next_s, next_legal, alpha, gamma):
    Q[s][a] = reward + gamma * max((Q[next_s][b] for b in next_legal), default=0)
""",
                "not all the way",
            ),
            "no difference": (
                """
def q_update(Q, s, a, reward, next_s, next_legal, alpha, gamma):
    Q[s][a] += alpha * (reward + gamma * max((Q[next_s][b] for b in next_legal), default=0))
""",
                "*difference*",
            ),
            "a copy": (
                """
def q_update(Q, s, a, reward, next_s, next_legal, alpha, gamma):
    value = Q[s][a]
    value += alpha * (reward + gamma * max((Q[next_s][b] for b in next_legal), default=0) - value)
""",
                "did not change",
            ),
            "max of nothing": (
                """
def q_update(Q, s, a, reward, next_s, next_legal, alpha, gamma):
    target = reward + gamma * max(Q[next_s][b] for b in next_legal)
    Q[s][a] += alpha * (target - Q[s][a])
""",
                "ValueError",
            ),
        },
    },
    "episode": {
        "right": {
            "as in the lesson": EPISODE,
            "a while loop": """
def episode(Q, moves, start, opponent, epsilon, alpha, gamma, rng):
    s, reward, count = start, 0, 0
    while reward == 0 and count < 200:
        count += 1
        a = epsilon_greedy(Q[s], list(moves[s].keys()), epsilon, rng)
        after = moves[s][a]
        if moves[after]:
            after = moves[after][opponent(after)]
            reward = 0 if moves[after] else -1
        else:
            reward = 1
        q_update(Q, s, a, reward, after, [] if reward else list(moves[after]), alpha, gamma)
        s = after
    return reward
""",
            "its own update": """
def episode(Q, moves, start, opponent, epsilon, alpha, gamma, rng):
    s = start
    for turn in range(200):
        a = epsilon_greedy(Q[s], sorted(moves[s]), epsilon, rng)
        theirs = moves[s][a]
        won = len(moves[theirs]) == 0
        next_s = theirs if won else moves[theirs][opponent(theirs)]
        lost = not won and len(moves[next_s]) == 0
        target = 1 if won else -1 if lost else gamma * max(Q[next_s][b] for b in moves[next_s])
        Q[s][a] += alpha * (target - Q[s][a])
        if won or lost:
            return 1.0 if won else -1.0
        s = next_s
    return 0
""",
        },
        "wrong": {
            "learns before the reply": (
                EPISODE.replace(
                    "reward, next_s, list(moves[next_s])", "reward, theirs, list(moves[theirs])"
                ),
                "after the opponent's reply",
            ),
            "a loss counts nothing": (
                EPISODE.replace("else -1", "else 0").replace("if reward:", "if not moves[next_s]:"),
                "reward of -1",
            ),
            "a loss counts as a win": (EPISODE.replace("else -1", "else 1"), "-1"),
            "the last move teaches nothing": (
                EPISODE.replace("            q_update(Q, s, a, 1, theirs, [], alpha, gamma)\n", ""),
                "learned from too",
            ),
            "never asks who has lost": (
                EPISODE.replace("        if reward:\n            return reward\n", ""),
                "It raised",
            ),
            "never ends": (
                EPISODE.replace("for _ in range(200):", "while True:"),
                "did not return in time",
            ),
        },
    },
    "train": {
        "right": {
            "more games": train(8000, 0.3, 0.2),
            "smaller steps": train(6000, 0.7, 0.2),
            "self-chosen schedule": """
def train(moves, start, rng):
    Q = {s: np.zeros(10) for s in moves}
    reply = lambda s: list(moves[s])[rng.integers(len(moves[s]))]
    for epsilon in np.linspace(0.9, 0.1, 8):
        for game in range(800):
            s = moves[start][reply(start)] if game % 2 else start
            episode(Q, moves, s, reply, epsilon, 0.3, 1.0, rng)
    return Q
""",
        },
        "wrong": {
            "far too short": (train(3), "98 % are needed"),
            "no return": (train().replace("    return Q\n", ""), "return the table"),
            "nothing learned": (train(200, alpha=0.0), "98 % are needed"),
            "a list of wins": (
                train().replace("return Q", "return [1, 0, 1]"),
                "a table is a dict",
            ),
            "an empty table": (train().replace("return Q", "return {}"), "ten numbers"),
        },
    },
    "self_play": {
        "right": {
            "as in the lesson": SELF_PLAY,
            "its own update": """
def self_play(moves, start, games, epsilon, alpha, gamma, rng):
    Q = {s: np.zeros(10) for s in moves}
    for _ in range(games):
        s, turn = start, 0
        while moves[s] and turn < 200:
            a = epsilon_greedy(Q[s], list(moves[s]), epsilon, rng)
            after = moves[s][a]
            target = -gamma * max(Q[after][b] for b in moves[after]) if moves[after] else 1.0
            Q[s][a] += alpha * (target - Q[s][a])
            s, turn = after, turn + 1
    return Q
""",
            "lists": """
def self_play(moves, start, games, epsilon, alpha, gamma, rng):
    Q = {s: [0.0] * 10 for s in moves}
    for game in range(games):
        s = start
        for turn in range(200):
            a = epsilon_greedy(Q[s], list(moves[s]), epsilon, rng)
            next_s = moves[s][a]
            over = not moves[next_s]
            q_update(Q, s, a, int(over), next_s, list(moves[next_s]), alpha, -gamma)
            s = next_s
            if over:
                break
    return Q
""",
        },
        "wrong": {
            "no minus": (SELF_PLAY.replace("-gamma", "gamma"), "counts with a minus"),
            "the loser is rewarded": (SELF_PLAY.replace("else 1", "else -1"), ""),
            "no gamma": (SELF_PLAY.replace("-gamma", "-1.0"), "gamma times"),
            "one game": (SELF_PLAY.replace("range(games)", "range(1)"), "positions"),
            "no return": (SELF_PLAY.replace("    return Q\n", ""), "return the table"),
        },
    },
}
