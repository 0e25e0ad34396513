"""Lesson 4: right answers written differently, and wrong ones with what a check must say."""

SETUP = """
import numpy as np
import torch
from lib.agents.dqn_workshop import Workshop
"""

SLIDE = """
def slide(row):
    tiles = [t for t in row if t > 0]
    out, earned, i = [], 0, 0
    while i < len(tiles):
        if i + 1 < len(tiles) and tiles[i] == tiles[i + 1]:
            out.append(2 * tiles[i])
            earned += 2 * tiles[i]
            i += 2
        else:
            out.append(tiles[i])
            i += 1
    return RESULT
"""

BUFFER = """
class ReplayBuffer:
    def __init__(self, capacity):
        self.capacity = capacity
        self.kept = []

    def __len__(self):
        return len(self.kept)

    def push(self, transition):
        PUSH

    def sample(self, batch_size, rng):
        SAMPLE
"""

RULES = """
def lai_robbins(count, eta=0.8, nu=0.01):
    return LAI

def entropy(values, counts, alpha=1.0):
    logits = LOGITS
    weights = np.exp(logits - np.max(logits))
    return WEIGHTS

def torch_version(moves, start=1.0, end=0.01, rate=0.0005):
    return TORCH
"""

TARGET = """
def td_target(rewards, over, next_q, legal, gamma, chooser=None):
    ranked = RANKED
    ranked = MASKED
    best = BEST
    return TOTAL
"""

REWARD = """
def move_reward(form, merged, after):
    if form == "none":
        return NONE
    if form == "score":
        return SCORE
    total = LOG
    if form != "log2":
        total += BONUS
    return total - PENALTY * (form == "progressive_penalty")
"""

MOVE = """
def best_move(after, gains, legal, value, gamma):
    best, chosen = START, None
    for action in range(4):
        if LEGAL:
            worth = WORTH
            if worth > best:
                best, chosen = worth, action
    return chosen
"""

TRAIN = """
def soft_update(target, network, tau):
    for t, n in zip(target, network):
        t.lerp_(n, tau)

def train_network(work, updates):
    optimizer = torch.optim.Adam(work.network.parameters(), lr=RATE)
    for _ in range(updates):
        PLAY
        boards, returns, discounts, later = work.sample(512)
        with torch.no_grad():
            targets = TARGETS
        loss = LOSS
        optimizer.zero_grad()
        loss.backward()
        STEP
        with torch.no_grad():
            soft_update(list(work.target.parameters()), list(work.network.parameters()), TAU)
"""


def filled(source: str, defaults: dict[str, str], **changes: str) -> str:
    """The source with each capital word replaced."""
    for word, code in {**defaults, **changes}.items():
        source = source.replace(word, code)
    return source


def slide(result: str = "out + [0] * (4 - len(out)), earned") -> str:
    return SLIDE.replace("RESULT", result)


def buffer(**changes: str) -> str:
    defaults = {
        "PUSH": "self.kept = (self.kept + [transition])[-self.capacity:]",
        "SAMPLE": "return [self.kept[i] for i in rng.permutation(len(self.kept))[:batch_size]]",
    }
    return filled(BUFFER, defaults, **changes)


def rules(**changes: str) -> str:
    defaults = {
        "LAI": "eta / (1 + nu * count)",
        "LOGITS": "alpha * np.log(counts + 1) * values",
        "WEIGHTS": "weights / weights.sum()",
        "TORCH": "end + (start - end) * np.exp(-rate * moves)",
    }
    return filled(RULES, defaults, **changes)


def target(**changes: str) -> str:
    defaults = {
        "RANKED": "next_q if chooser is None else chooser",
        "MASKED": "torch.where(legal, ranked, torch.tensor(-1e9))",
        "BEST": "next_q.gather(1, ranked.argmax(dim=1, keepdim=True)).squeeze(1)",
        "TOTAL": "torch.where(over, rewards, rewards + gamma * best)",
    }
    return filled(TARGET, defaults, **changes)


def reward(**changes: str) -> str:
    defaults = {
        "NONE": "1.0 if 2048 in merged else 0.0",
        "SCORE": "sum(merged)",
        "LOG": "sum(int(t).bit_length() - 1 for t in merged)",
        "BONUS": "(after == 512).sum() + 2.5 * (after == 1024).sum() + 6 * (after == 2048).sum()",
        "PENALTY": "1.5",
    }
    return filled(REWARD, defaults, **changes)


def best_move(**changes: str) -> str:
    defaults = {
        "START": "-np.inf",
        "LEGAL": "legal[action]",
        "WORTH": "gains[action] + gamma * value(after[action])",
    }
    return filled(MOVE, defaults, **changes)


def train(**changes: str) -> str:
    defaults = {
        "RATE": "1e-3",
        "PLAY": "work.play()",
        "TARGETS": "returns + discounts * work.target(later).squeeze(1)",
        "LOSS": "torch.nn.functional.mse_loss(work.network(boards).squeeze(1), targets)",
        "STEP": "optimizer.step()",
        "TAU": "0.05",
    }
    return filled(TRAIN, defaults, **changes)


ANSWERS = {
    "slide": {
        "right": {
            "an index": slide(),
            "an array": slide("np.array(out + [0] * (4 - len(out))), earned"),
            "recursion": """
def slide(row):
    tiles = [t for t in row if t]
    def merge(tiles):
        if len(tiles) < 2:
            return tiles, 0
        if tiles[0] == tiles[1]:
            rest, more = merge(tiles[2:])
            return [2 * tiles[0]] + rest, 2 * tiles[0] + more
        rest, more = merge(tiles[1:])
        return tiles[:1] + rest, more
    slid, earned = merge(tiles)
    return [*slid, 0, 0, 0, 0][:4], earned
""",
        },
        "wrong": {
            "merges twice": (
                """
def slide(row):
    tiles, earned, i = [t for t in row if t], 0, 0
    while i + 1 < len(tiles):
        if tiles[i] == tiles[i + 1]:
            tiles[i:i + 2] = [2 * tiles[i]]
            earned += tiles[i]
            i = max(i - 1, 0)
        else:
            i += 1
    return tiles + [0] * (4 - len(tiles)), earned
""",
                "does not merge again",
            ),
            "holes": (
                """
def slide(row):
    tiles = [t for t in row if t]
    tiles, earned = tiles + [0] * (4 - len(tiles)), 0
    for i in range(3):
        if tiles[i] == tiles[i + 1] and tiles[i]:
            tiles[i], tiles[i + 1] = 2 * tiles[i], 0
            earned += tiles[i]
    return tiles, earned
""",
                "leaves a gap",
            ),
            "neighbours only": (
                """
def slide(row):
    tiles, earned = list(row), 0
    for i in range(3):
        if tiles[i] == tiles[i + 1] and tiles[i]:
            tiles[i], tiles[i + 1] = 2 * tiles[i], 0
            earned += tiles[i]
    tiles = [t for t in tiles if t]
    return tiles + [0] * (4 - len(tiles)), earned
""",
                "push first, then merge",
            ),
            "half the score": (slide("out + [0] * (4 - len(out)), earned // 2"), "*new* tile"),
            "the row alone": (slide("out + [0] * (4 - len(out))"), "Return two things"),
            "no padding": (slide("out, earned"), "fill up with 0"),
            "to the right": (
                slide("([0] * 4 + slide_left(row[::-1])[0][::-1])[-4:], earned")
                + """
def slide_left(row):
    tiles, out = [t for t in row if t], []
    while tiles:
        t = tiles.pop(0)
        if tiles and tiles[0] == t:
            t += tiles.pop(0)
        out.append(t)
    return out + [0] * (4 - len(out)), 0
""",
                "slid to the right",
            ),
            "changes its input": (
                """
def slide(row):
    while 0 in row:
        row.remove(0)
    out, earned = [], 0
    while row:
        t = row.pop(0)
        if row and row[0] == t:
            t += row.pop(0)
            earned += t
        out.append(t)
    return out + [0] * (4 - len(out)), earned
""",
                "changed its input",
            ),
        },
    },
    "valid_moves": {
        "right": {
            "four loops": """
def valid_moves(board):
    moves = []
    for action in range(4):
        lines = board.T if action < 2 else board
        if action % 2:
            lines = lines[:, ::-1]
        if any(list(slide(list(line))[0]) != list(line) for line in lines):
            moves.append(action)
    return moves
""",
            "without slide": """
def valid_moves(board):
    def can(lines):
        return any(
            b and (a == 0 or a == b)
            for line in lines for a, b in zip(line[:-1], line[1:])
        )
    views = (board.T, board.T[:, ::-1], board, board[:, ::-1])
    return {a for a in range(4) if can(views[a])}
""",
            "rotations": """
def valid_moves(board):
    turns = {2: 0, 0: 1, 3: 2, 1: 3}
    found = ()
    for action, k in turns.items():
        lines = np.rot90(board, k)
        if not np.array_equal(lines, [slide(list(line))[0] for line in lines]):
            found += (action,)
    return found
""",
        },
        "wrong": {
            "room only": (
                """
def valid_moves(board):
    views = (board.T, board.T[:, ::-1], board, board[:, ::-1])
    def room(lines):
        return any(a == 0 and b for line in lines for a, b in zip(line[:-1], line[1:]))
    return [a for a in range(4) if room(views[a])]
""",
                "only merges changes",
            ),
            "rows and columns": (
                """
def valid_moves(board):
    views = (board, board[:, ::-1], board.T, board.T[:, ::-1])
    same = lambda lines: all(list(slide(list(r))[0]) == list(r) for r in lines)
    return [a for a in range(4) if not same(views[a])]
""",
                "transpose",
            ),
            "opposite": (
                """
def valid_moves(board):
    views = (board.T[:, ::-1], board.T, board[:, ::-1], board)
    same = lambda lines: all(list(slide(list(r))[0]) == list(r) for r in lines)
    return [a for a in range(4) if not same(views[a])]
""",
                "exchanged",
            ),
            "booleans": (
                """
def valid_moves(board):
    views = (board.T, board.T[:, ::-1], board, board[:, ::-1])
    same = lambda lines: all(list(slide(list(r))[0]) == list(r) for r in lines)
    return [not same(views[a]) for a in range(4)]
""",
                "not four booleans",
            ),
            "all four": ("def valid_moves(board):\n    return [0, 1, 2, 3]\n", "changes the board"),
            "earns something": (
                """
def valid_moves(board):
    views = (board.T, board.T[:, ::-1], board, board[:, ::-1])
    return [a for a in range(4) if any(slide(list(r))[1] for r in views[a])]
""",
                "merges nothing changes the board too",
            ),
        },
    },
    "binary_tensor": {
        "right": {
            "loops": """
def binary_tensor(board):
    planes = np.zeros((12, 4, 4))
    for r in range(4):
        for c in range(4):
            k = int(board[r, c]).bit_length() - 1 if board[r, c] else 0
            planes[min(k, 11), r, c] = 1
    return planes
""",
            "comparisons": """
def binary_tensor(board):
    planes = [board == 0] + [board == 2**k for k in range(1, 11)] + [board >= 2048]
    return np.stack(planes).astype(float)
""",
            "a torch tensor": """
def binary_tensor(board):
    k = torch.tensor(np.log2(np.where(board > 0, board, 1))).round().long().clamp(max=11)
    return torch.nn.functional.one_hot(k, 12).permute(2, 0, 1).float()
""",
        },
        "wrong": {
            "no last plane": (
                """
def binary_tensor(board):
    planes = [board == 0] + [board == 2**k for k in range(1, 12)]
    return np.stack(planes).astype(float)
""",
                "belong to the last plane",
            ),
            "planes last": (
                """
def binary_tensor(board):
    k = np.minimum(np.log2(np.maximum(board, 1)).astype(int), 11)
    return np.eye(12)[k]
""",
                "planes come first",
            ),
            "no plane of empty cells": (
                """
def binary_tensor(board):
    k = np.minimum(np.log2(np.maximum(board, 1)).astype(int), 11)
    planes = np.eye(12)[k].transpose(2, 0, 1)
    planes[0] = 0
    return planes
""",
                "do not leave it at 0",
            ),
            "values of tiles": (
                """
def binary_tensor(board):
    k = np.minimum(np.log2(np.maximum(board, 1)).astype(int), 11)
    return np.eye(12)[k].transpose(2, 0, 1) * board
""",
                "not the values",
            ),
            "too few planes": (
                """
def binary_tensor(board):
    k = np.log2(np.maximum(board, 1)).astype(int)
    return np.eye(12)[k].transpose(2, 0, 1)
""",
                "IndexError",
            ),
            "one plane lower": (
                """
def binary_tensor(board):
    planes = [board == 2**k for k in range(1, 12)] + [board >= 4096]
    return np.stack(planes).astype(float)
""",
                "Plane 0 marks",
            ),
        },
    },
    "replay_buffer": {
        "right": {
            "a slice": buffer(),
            "pop": buffer(
                PUSH="self.kept.append(transition)\n"
                "        if len(self.kept) > self.capacity: self.kept.pop(0)"
            ),
            "a ring": """
class ReplayBuffer:
    def __init__(self, capacity):
        self.items, self.count = [None] * capacity, 0

    def __len__(self):
        return min(self.count, len(self.items))

    def push(self, transition):
        self.items[self.count % len(self.items)] = transition
        self.count += 1

    def sample(self, batch_size, rng):
        return [self.items[i] for i in rng.choice(len(self), size=batch_size, replace=False)]
""",
        },
        "wrong": {
            "never forgets": (buffer(PUSH="self.kept.append(transition)"), "has the length"),
            "stops when full": (
                buffer(PUSH="if len(self.kept) < self.capacity: self.kept.append(transition)"),
                "forgets its *oldest*",
            ),
            "with replacement": (
                buffer(
                    SAMPLE="return [self.kept[i] for i in "
                    "rng.integers(0, len(self.kept), batch_size)]"
                ),
                "without replacement",
            ),
            "the newest only": (
                buffer(SAMPLE="return self.kept[-batch_size:]"),
                "at random",
            ),
            "other dice": (
                buffer(SAMPLE="import random\n        return random.sample(self.kept, batch_size)"),
                "draw from `rng`",
            ),
            "removes": (
                buffer(
                    SAMPLE="i = rng.choice(len(self.kept), batch_size, replace=False)\n"
                    "        found = [self.kept[k] for k in i]\n"
                    "        self.kept = [x for k, x in enumerate(self.kept) if k not in set(i)]\n"
                    "        return found"
                ),
                "must not remove",
            ),
        },
    },
    "exploration": {
        "right": {
            "formulas": rules(),
            "torch": rules(WEIGHTS="torch.softmax(torch.as_tensor(logits).double(), 0).numpy()"),
            "math": rules(
                TORCH="start * np.exp(-moves * rate) + end * (1 - np.exp(-moves * rate))"
            ),
        },
        "wrong": {
            "no 1 +": (rules(LAI="eta / (nu + count)"), "1 + nu count"),
            "divided by the rate": (
                rules(TORCH="end + (start - end) * np.exp(-moves / rate)"),
                "rate * moves",
            ),
            "ends at 0": (rules(TORCH="start * np.exp(-rate * moves)"), "must end at `end`"),
            "not probabilities": (rules(WEIGHTS="weights"), "sum to 1"),
            "added": (rules(LOGITS="alpha * np.log(counts + 1) + values"), "multiplies"),
            "no counts": (rules(LOGITS="alpha * values"), "counts are missing"),
            "overflow": (
                rules(WEIGHTS="np.exp(logits) / np.exp(logits).sum()"),
                "Subtract the largest",
            ),
        },
    },
    "td_target": {
        "right": {
            "where": target(),
            "masked_fill": target(
                MASKED="ranked.masked_fill(~legal, float('-inf'))",
                TOTAL="rewards + gamma * best * (~over)",
            ),
            "indexing": target(
                BEST="next_q[torch.arange(len(next_q)), ranked.argmax(1)]",
                TOTAL="rewards + gamma * torch.where(over, torch.zeros_like(best), best)",
            ),
            "a loop": """
def td_target(rewards, over, next_q, legal, gamma, chooser=None):
    targets = []
    for i in range(len(rewards)):
        actions = [a for a in range(4) if legal[i, a]]
        if over[i]:
            targets.append(float(rewards[i]))
            continue
        q = next_q if chooser is None else chooser
        a = max(actions, key=lambda a: float(q[i, a]))
        targets.append(float(rewards[i] + gamma * next_q[i, a]))
    return torch.tensor(targets)
""",
        },
        "wrong": {
            "illegal moves": (target(MASKED="ranked"), "mask them with -inf"),
            "zeros": (
                target(MASKED="ranked * legal"),
                "use -inf",
            ),
            "no end": (
                target(TOTAL="rewards + gamma * best"),
                "Nothing follows the end",
            ),
            "-inf times 0": (
                """
def td_target(rewards, over, next_q, legal, gamma, chooser=None):
    masked = next_q.masked_fill(~legal, float("-inf"))
    best = masked.max(dim=1).values
    if chooser is not None:
        a = chooser.masked_fill(~legal, float("-inf")).argmax(1, keepdim=True)
        best = masked.gather(1, a)[:, 0]
    return rewards + gamma * best * (~over)
""",
                "maximum of nothing",
            ),
            "chooser ignored": (target(RANKED="next_q"), "it chooses the action"),
            "chooser values": (
                target(BEST="ranked.max(dim=1).values"),
                "use gather",
            ),
            "chooser chooses illegal moves": (
                target(
                    RANKED="next_q.masked_fill(~legal, -1e9) if chooser is None else chooser",
                    MASKED="ranked",
                ),
                "only legal moves",
            ),
            "no gamma": (
                target(TOTAL="torch.where(over, rewards, rewards + best)"),
                "gamma is missing",
            ),
        },
    },
    "soft_update": {
        "right": {
            "lerp": """
def soft_update(target, network, tau):
    for t, n in zip(target, network):
        t.lerp_(n, tau)
""",
            "copy": """
def soft_update(target, network, tau):
    for i in range(len(target)):
        target[i].copy_((1 - tau) * target[i] + tau * network[i])
""",
            "slices": """
def soft_update(target, network, tau):
    for t, n in zip(target, network):
        t[:] = t + tau * (n - t)
    return target
""",
        },
        "wrong": {
            "a new tensor": (
                """
def soft_update(target, network, tau):
    for t, n in zip(target, network):
        t = t + tau * (n - t)
""",
                "in place",
            ),
            "the wrong way round": (
                """
def soft_update(target, network, tau):
    for t, n in zip(target, network):
        t.copy_(tau * t + (1 - tau) * n)
""",
                "wrong way round",
            ),
            "a copy": (
                """
def soft_update(target, network, tau):
    for t, n in zip(target, network):
        t.copy_(n)
""",
                "share of tau",
            ),
            "the network moves": (
                """
def soft_update(target, network, tau):
    for t, n in zip(target, network):
        n.lerp_(t, tau)
""",
                "It changed the network",
            ),
            "added": (
                """
def soft_update(target, network, tau):
    for t, n in zip(target, network):
        t += tau * n
""",
                "add tau (network - target)",
            ),
        },
    },
    "move_reward": {
        "right": {
            "bit lengths": reward(),
            "arrays": reward(
                LOG="float(np.log2(np.array(merged, dtype=float)).sum())",
                BONUS="np.dot([1, 2.5, 6], [np.sum(after == t) for t in (512, 1024, 2048)])",
            ),
            "a table": """
def move_reward(form, merged, after):
    logs = sum(np.log2(t) for t in merged)
    bonus = sum({512: 1, 1024: 2.5, 2048: 6}.get(int(t), 0) for t in np.ravel(after))
    return {
        "none": 1 if 2048 in merged else 0, "score": sum(merged), "log2": logs,
        "progressive": logs + bonus, "progressive_penalty": logs + bonus - 1.5,
    }[form]
""",
        },
        "wrong": {
            "new tiles only": (
                reward(
                    BONUS="merged.count(512) + 2.5 * merged.count(1024) + 6 * merged.count(2048)"
                ),
                "after *every* move",
            ),
            "each once": (
                reward(
                    BONUS="(512 in after) + 2.5 * (1024 in after) + 6 * (2048 in after)",
                ),
                "each time",
            ),
            "log of the sum": (reward(LOG="np.log2(sum(merged)) if merged else 0"), "log"),
            "natural logarithm": (reward(LOG="sum(np.log(t) for t in merged)"), "base 2"),
            "no penalty": (reward(PENALTY="0"), "penalty of 1.5"),
            "any 2048": (reward(NONE="float(2048 in after)"), "*makes* 2048"),
            "the tile itself": (
                reward(NONE="max(merged, default=0)"),
                "a reward of 1",
            ),
        },
    },
    "best_move": {
        "right": {
            "a loop": best_move(),
            "argmax": """
def best_move(after, gains, legal, value, gamma):
    worth = [g + gamma * value(b) if ok else -np.inf for b, g, ok in zip(after, gains, legal)]
    return np.argmax(worth)
""",
            "sorted": """
def best_move(after, gains, legal, value, gamma):
    actions = [a for a in (3, 2, 1, 0) if legal[a]]
    return sorted(actions, key=lambda a: gains[a] + gamma * value(after[a]))[-1]
""",
        },
        "wrong": {
            "illegal too": (best_move(LEGAL="True"), "chose an illegal move"),
            "value only": (best_move(WORTH="gamma * value(after[action])"), "add what the move"),
            "gain only": (best_move(WORTH="gains[action]"), "looks only at the gain"),
            "no gamma": (best_move(WORTH="gains[action] + value(after[action])"), "gamma"),
            "begins at 0": (best_move(START="0.0"), "begin with -inf"),
            "the smallest": (
                best_move(START="np.inf").replace("worth > best", "worth < best"),
                "smallest",
            ),
        },
    },
    "train_network": {
        "right": {
            "mse": train(),
            "another optimizer": train(RATE="2e-3").replace("optim.Adam(", "optim.AdamW("),
            "a slower target": train(TAU="0.03"),
        },
        "wrong": {
            "no step": (train(STEP="pass"), "No weight"),
            "uphill": (
                train(LOSS="-((work.network(boards)[:, 0] - targets) ** 2).mean()"),
                "updates",
            ),
            "a matrix for a loss": (
                train(LOSS="((work.network(boards) - targets) ** 2).mean()"),
                "almost the same of every board",
            ),
            "never plays": (train(PLAY="pass"), "one step of all games"),
            "one update": (
                train().replace("in range(updates)", "in range(1)"),
                "Look at each line in turn",
            ),
            "nothing learned, the most points at once": (
                "def train_network(work, updates):\n"
                "    for weights in work.network.parameters():\n"
                "        weights.data.zero_()\n",
                "almost the same of every board",
            ),
        },
    },
}
