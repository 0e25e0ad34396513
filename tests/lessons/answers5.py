"""Lesson 5: right answers written differently, and wrong ones with what a check must say."""

SETUP = """
from copy import deepcopy

import numpy as np
import torch
from torch import nn

from lib.agents.progress import Progress
from lib.agents.solitaire_games import Games
from lib.games.solitaire import HOLES, JUMPS, SOLVED, START
from lib.grading.lesson5_reference import gradient, starts
"""

NETWORK = """
class TwoHeads(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.first, self.second = nn.Linear(147, width), nn.Linear(width, width)
        self.policy, self.value = nn.Linear(width, 76), nn.Linear(width, 1)

    def forward(self, planes):
        x = planes.flatten(1)
        x = torch.relu(self.second(torch.relu(self.first(x))))
        return OUTPUT
"""


def network(output: str = "self.policy(x), self.value(x)[:, 0]", **changed: str) -> str:
    """A network that returns this; other parts may be changed too."""
    source = NETWORK.replace("OUTPUT", output)
    for old, new in changed.values():
        assert old in source
        source = source.replace(old, new)
    return source


REVERSE = """
def reverse_start(count, jumps, rng):
    position = SOLVED
    for _ in range(count):
        options = [j for j in jumps if CONDITION]
        if not options:
            break
        CHOICE
        position = CHANGE
    return position
"""


def reverse(
    condition: str = "position >> j[2] & 1 and not position >> j[1] & 1 "
    "and not position >> j[0] & 1",
    choice: str = "s, o, t = options[int(rng.integers(len(options)))]",
    change: str = "position + (1 << s) + (1 << o) - (1 << t)",
) -> str:
    """Playing backwards, with parts that may be changed."""
    source = REVERSE.replace("CONDITION", condition)
    return source.replace("CHOICE", choice).replace("CHANGE", change)


TRAIN = """
def train_pegs(network, updates, rng):
    games = GAMES
    own = deepcopy(network)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for update in range(1, updates + 1):
        optimizer.param_groups[0]["lr"] = 1e-3 * (1 - 0.9 * update / updates)
        ROUND
        if update % 50 == 0:
            yield Progress(update, updates, "updates", games.recent())
"""


ROUND = "worker_step(network, own, optimizer, lambda net: gradient(net, games))"


def train(games: str = "Games(64, rng, starts=starts)", step: str = ROUND) -> str:
    """A training loop on these games, with this round."""
    return TRAIN.replace("GAMES", games).replace("ROUND", step)


WORKER = """
def worker_step(shared, own, optimizer, learn):
    BODY
    return figures
"""


def worker(*lines: str) -> str:
    """One round, line by line."""
    return WORKER.replace("BODY", "\n    ".join(lines))


COPY = "own.load_state_dict(shared.state_dict())"
LEARN = "figures = learn(own)"
HAND = "for a, b in zip(shared.parameters(), own.parameters()): a.grad = b.grad"
STEP = "optimizer.step()"

TARGETS = """
def critic_targets(rewards, ended, last_values, gamma):
    targets = np.zeros(rewards.shape)
    after = FIRST
    for t in ORDER:
        after = NEXT
        targets[t] = after
    return targets
"""


def targets(
    first: str = "last_values",
    order: str = "range(len(rewards) - 1, -1, -1)",
    then: str = "rewards[t] + gamma * (1 - ended[t]) * after",
) -> str:
    """n-step targets with parts that may be changed."""
    return TARGETS.replace("FIRST", first).replace("ORDER", order).replace("NEXT", then)


LOSSES = """
def losses(log_pi, values, actions, targets):
    ADVANTAGE
    taken = log_pi[torch.arange(len(actions)), actions]
    actor = ACTOR
    critic = CRITIC
    entropy = ENTROPY
    return actor, critic, entropy
"""


def losses(
    advantage: str = "advantage = (targets - values).detach()",
    actor: str = "-(taken * advantage).mean()",
    critic: str = "((targets.detach() - values) ** 2).mean()",
    entropy: str = "-(log_pi.exp() * log_pi).sum(1).mean()",
) -> str:
    """The three losses, with parts that may be changed."""
    source = LOSSES.replace("ADVANTAGE", advantage).replace("ACTOR", actor)
    return source.replace("CRITIC", critic).replace("ENTROPY", entropy)


def policy(expression: str) -> str:
    """log_policy as one expression."""
    return f"def log_policy(logits, legal):\n    return {expression}\n"


def legal(condition: str, result: str = "a") -> str:
    """legal_jumps as one list."""
    return (
        "def legal_jumps(position, jumps):\n"
        "    peg = lambda hole: position >> hole & 1\n"
        f"    return [{result} for a, (s, o, t) in enumerate(jumps) if {condition}]\n"
    )


PLANES = """
def planes(position, holes):
    cube = np.zeros((7, 7, 3))
    for hole, (r, c) in enumerate(holes):
        FILL
    pegs = bin(position).count("1")
    cube[:, :, 1] = REMOVED
    cube[:, :, 2] = LEFT
    return RESULT
"""


def planes(
    fill: str = "cube[r, c, 0] = position >> hole & 1",
    removed: str = "(32 - pegs) / 31",
    left: str = "(pegs - 1) / 31",
    result: str = "cube",
) -> str:
    """The planes, with parts that may be changed."""
    source = PLANES.replace("FILL", fill).replace("REMOVED", removed)
    return source.replace("LEFT", left).replace("RESULT", result)


ANSWERS = {
    "legal_jumps": {
        "right": {
            "a list": legal("peg(s) and peg(o) and not peg(t)"),
            "a loop with a mask": """
def legal_jumps(position, jumps):
    found = []
    for number, (source, over, target) in enumerate(jumps):
        three = 1 << source | 1 << over | 1 << target
        if position & three == 1 << source | 1 << over:
            found.append(number)
    return found
""",
            "a set of pegs, any order": """
def legal_jumps(position, jumps):
    pegs = {hole for hole in range(33) if position & (1 << hole)}
    return [a for a in reversed(range(len(jumps)))
            if {jumps[a][0], jumps[a][1]} <= pegs and jumps[a][2] not in pegs]
""",
            "numpy": """
def legal_jumps(position, jumps):
    bits = np.array([position >> hole & 1 for hole in range(33)], dtype=bool)
    s, o, t = np.array(jumps).T
    return np.flatnonzero(bits[s] & bits[o] & ~bits[t])
""",
        },
        "wrong": {
            "target not looked at": (legal("peg(s) and peg(o)"), "lands in an empty hole"),
            "nothing to jump over": (legal("peg(s) and not peg(t)"), "a peg to jump over"),
            "no peg that jumps": (legal("peg(o) and not peg(t)"), "a peg that jumps"),
            "backwards": (legal("peg(t) and not peg(o) and not peg(s)"), "un-jumps"),
            "the jumps themselves": (
                legal("peg(s) and peg(o) and not peg(t)", "(s, o, t)"),
                "Return the numbers",
            ),
            "nothing returned": (
                "def legal_jumps(position, jumps):\n    found = []\n",
                "is there a `return`",
            ),
        },
    },
    "planes": {
        "right": {
            "a loop": planes(),
            "float32": planes(result="cube.astype(np.float32)"),
            "stacked": """
def planes(position, holes):
    board = np.zeros((7, 7))
    rows, columns = zip(*holes)
    board[list(rows), list(columns)] = [position >> i & 1 for i in range(len(holes))]
    left = (board.sum() - 1) / 31
    return np.stack([board, np.full((7, 7), 1 - left), np.full((7, 7), left)], axis=-1)
""",
        },
        "wrong": {
            "rows and columns": (planes("cube[c, r, 0] = position >> hole & 1"), "swapped"),
            "fractions swapped": (
                planes(removed="(pegs - 1) / 31", left="(32 - pegs) / 31"),
                "removed and left to remove are swapped",
            ),
            "inside the cross only": (
                planes(
                    fill="cube[r, c] = [position >> hole & 1, (32 - bin(position).count('1')) / 31,"
                    " (bin(position).count('1') - 1) / 31]",
                    removed="cube[:, :, 1]",
                    left="cube[:, :, 2]",
                ),
                "also outside the cross",
            ),
            "by 32": (
                planes(removed="(32 - pegs) / 32", left="(pegs - 1) / 32"),
                "divide by 31, not by 32",
            ),
            "channels first": (planes(result="cube.transpose(2, 0, 1)"), "shape"),
            "per cent": (
                planes(removed="100 * (32 - pegs) / 31", left="100 * (pegs - 1) / 31"),
                "not per cent",
            ),
            "pegs, not pegs to remove": (planes(left="pegs / 31"), "left to remove, is not right"),
        },
    },
    "log_policy": {
        "right": {
            "masked_fill": policy("logits.masked_fill(~legal, -1e9).log_softmax(dim=1)"),
            "where": policy(
                "torch.log_softmax(torch.where(legal, logits, torch.tensor(-1e9)), dim=-1)"
            ),
            "by hand": """
def log_policy(logits, legal):
    masked = logits.clone()
    masked[~legal] = -1e9
    highest = masked.max(dim=1, keepdim=True).values
    return masked - highest - (masked - highest).exp().sum(dim=1, keepdim=True).log()
""",
        },
        "wrong": {
            "minus infinity": (
                policy("logits.masked_fill(~legal, float('-inf')).log_softmax(dim=1)"),
                "-inf",
            ),
            "not masked": (policy("logits.log_softmax(dim=1)"), "An illegal jump"),
            "masked afterwards": (
                policy("logits.log_softmax(dim=1).masked_fill(~legal, -1e9)"),
                "before the softmax",
            ),
            "probabilities": (
                policy("logits.masked_fill(~legal, -1e9).softmax(dim=1)"),
                "logarithms",
            ),
            "the wrong way round": (
                policy("logits.masked_fill(legal, -1e9).log_softmax(dim=1)"),
                "wrong way round",
            ),
            "along the states": (
                policy("logits.masked_fill(~legal, -1e9).log_softmax(dim=0)"),
                "dim=1",
            ),
            "zeros": (policy("(logits * legal).log_softmax(dim=1)"), "-1e9"),
            "overflow": (
                policy(
                    "(logits.exp() * legal / (logits.exp() * legal).sum(1, keepdim=True) "
                    "+ 1e-30).log()"
                ),
                "",
            ),
        },
    },
    "critic_targets": {
        "right": {
            "backwards": targets(),
            "reversed and where": targets(
                order="reversed(range(len(rewards)))",
                then="rewards[t] + np.where(ended[t], 0, gamma * after)",
            ),
            "forward sums": """
def critic_targets(rewards, ended, last_values, gamma):
    steps, games = rewards.shape
    targets = np.zeros((steps, games))
    for t in range(steps):
        for g in range(games):
            factor = 1.0
            for k in range(t, steps):
                targets[t, g] += factor * rewards[k, g]
                factor *= gamma
                if ended[k, g]:
                    break
            else:
                targets[t, g] += factor * last_values[g]
    return targets
""",
        },
        "wrong": {
            "no bootstrap": (targets(first="np.zeros(rewards.shape[1])"), "last_values"),
            "past the end": (targets(then="rewards[t] + gamma * after"), "Nothing follows an end"),
            "no discount": (
                targets(then="rewards[t] + (1 - ended[t]) * after"),
                "multiplies what comes after by gamma",
            ),
            "one step": (
                "def critic_targets(rewards, ended, last_values, gamma):\n"
                "    return rewards + gamma * (1 - ended) * last_values\n",
                "one move ahead",
            ),
            "the last reward lost": (
                targets(then="(rewards[t] + gamma * after) * (1 - ended[t])"),
                "a reward of its own",
            ),
            "forwards": (targets(order="range(len(rewards))"), "backwards"),
            "changes its input": (
                """
def critic_targets(rewards, ended, last_values, gamma):
    after = last_values
    for t in reversed(range(len(rewards))):
        rewards[t] += gamma * (1 - ended[t]) * after
        after = rewards[t]
    return rewards
""",
                "changed its input",
            ),
        },
    },
    "losses": {
        "right": {
            "indexed": losses(),
            "gathered": losses(
                advantage="targets = targets.detach(); advantage = targets - values.detach()",
                critic="nn.functional.mse_loss(values, targets)",
            ),
            "with no_grad": losses(
                advantage="with torch.no_grad():\n        advantage = targets - values",
                actor="(-taken * advantage).sum() / len(actions)",
                entropy="(-log_pi * log_pi.exp()).sum(dim=-1).mean()",
            ),
        },
        "wrong": {
            "advantage with gradient": (
                losses("advantage = targets.detach() - values"),
                "advantage must not carry a gradient",
            ),
            "target with gradient": (
                losses(critic="((targets - values) ** 2).mean()"),
                "target must not carry a gradient",
            ),
            "nothing detached": (
                losses("advantage = targets - values", critic="(advantage ** 2).mean()"),
                "Neither the advantage nor the target",
            ),
            "everything detached": (
                losses(critic="(advantage ** 2).mean()"),
                "there its values must carry the gradient",
            ),
            "no minus": (losses(actor="(taken * advantage).mean()"), "has a minus"),
            "negative entropy": (
                losses(entropy="(log_pi.exp() * log_pi).sum(1).mean()"),
                "Entropy is positive",
            ),
            "no baseline": (
                losses("advantage = targets.detach()"),
                "Weigh each move by its advantage",
            ),
            "sums": (
                losses(
                    actor="-(taken * advantage).sum()",
                    critic="((targets.detach() - values) ** 2).sum()",
                    entropy="-(log_pi.exp() * log_pi).sum()",
                ),
                "mean over the states",
            ),
            "entropy per jump": (
                losses(entropy="-(log_pi.exp() * log_pi).mean()"),
                "Sum the entropy over the jumps",
            ),
            "logarithm of zero": (
                losses(entropy="-(log_pi.exp() * log_pi.exp().log()).sum(1).mean()"),
                "NaN",
            ),
        },
    },
    "TwoHeads": {
        "right": {
            "layers by name": network(),
            "wider": network(width=("width=64", "width=128")),
            "convolutions": """
class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Flatten())
        self.policy, self.value = nn.Linear(392, 76), nn.Linear(392, 1)

    def forward(self, planes):
        seen = self.trunk(planes.permute(0, 3, 1, 2))
        return self.policy(seen), self.value(seen).squeeze(-1)
""",
            "one last layer, cut in two, behind own layers": """
class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Flatten(), nn.Linear(147, 64), nn.ReLU())
        self.policy = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 76))
        self.value = nn.Sequential(nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 1))

    def forward(self, planes):
        seen = self.trunk(planes)
        return self.policy(seen), self.value(seen).reshape(-1)
""",
        },
        "wrong": {
            "values as a column": (network("self.policy(x), self.value(x)"), "squeeze(1)"),
            "squeezed too much": (
                network("self.policy(x), self.value(x).squeeze()"),
                "The values of 1 board(s) have the shape ()",
            ),
            "softmax inside": (
                network("self.policy(x).softmax(dim=1), self.value(x)[:, 0]"),
                "already a softmax",
            ),
            "two networks": (
                network(
                    "self.policy(x), self.value(y)[:, 0]",
                    first=("self.second =", "self.second, self.third ="),
                    layers=(
                        "nn.Linear(width, width)\n",
                        "nn.Linear(width, width), nn.Linear(147, width)\n",
                    ),
                    body=(
                        "x = planes.flatten(1)\n",
                        "x = planes.flatten(1)\n        y = torch.relu(self.third(x))\n",
                    ),
                ),
                "share a trunk",
            ),
            "value first": (network("self.value(x)[:, 0], self.policy(x)"), "The logits of 6"),
            "ReLU at the end": (
                network("torch.relu(self.policy(x)), self.value(x)[:, 0]"),
                "no ReLU after the policy head",
            ),
            "not flattened": (
                network(flat=("planes.flatten(1)", "planes")),
                "It raised RuntimeError",
            ),
            "dropout": (
                network("self.policy(nn.functional.dropout(x)), self.value(x)[:, 0]"),
                "leave out dropout",
            ),
        },
    },
    "reverse_start": {
        "right": {
            "arithmetic": reverse(),
            "xor and choice": reverse(
                choice="s, o, t = options[rng.choice(len(options))]",
                change="position ^ (1 << s | 1 << o | 1 << t)",
            ),
            "by numbers": """
def reverse_start(count, jumps, rng):
    position = 1 << 16
    while count > 0:
        back = []
        for s, o, t in jumps:
            if position & (1 << s | 1 << o | 1 << t) == 1 << t:
                back.append(1 << s | 1 << o | 1 << t)
        if not back:
            return position
        position ^= back[int(rng.random() * len(back))]
        count -= 1
    return position
""",
        },
        "wrong": {
            "jumps instead of un-jumps": (
                reverse("position >> j[0] & 1 and position >> j[1] & 1"),
                "each puts one peg back",
            ),
            "the peg stays": (
                reverse(change="position + (1 << s) + (1 << o)"),
                "each puts one peg back",
            ),
            "only the middle filled": (
                reverse(change="position - (1 << t) + (1 << o)"),
                "each puts one peg back",
            ),
            "always the first": (reverse(choice="s, o, t = options[0]"), "as likely as the next"),
            "dice of its own": (
                reverse(choice="s, o, t = options[np.random.default_rng().integers(len(options))]"),
                "draw from `rng`",
            ),
            "hole in between not looked at": (
                reverse(
                    "position >> j[2] & 1 and not position >> j[0] & 1",
                    change="position ^ (1 << s | 1 << o | 1 << t)",
                ),
                "",
            ),
            "forwards from the start": (
                """
def reverse_start(count, jumps, rng):
    position = START
    for _ in range(count):
        options = [(s, o, t) for s, o, t in jumps
                   if position >> s & 1 and position >> o & 1 and not position >> t & 1]
        s, o, t = options[rng.integers(len(options))]
        position ^= 1 << s | 1 << o | 1 << t
    return position
""",
                "",
            ),
        },
    },
    "worker_step": {
        "right": {
            "line by line": worker(COPY, LEARN, HAND, STEP),
            "copied by hand": worker(
                "with torch.no_grad():",
                "    for a, b in zip(own.parameters(), shared.parameters()): a.copy_(b)",
                LEARN,
                "optimizer.zero_grad()",
                "for a, b in zip(shared.parameters(), own.parameters()): a.grad = b.grad.clone()",
                STEP,
            ),
            "by name": worker(
                COPY,
                LEARN,
                "mine = dict(own.named_parameters())",
                "for name, p in shared.named_parameters(): p.grad = mine[name].grad",
                STEP,
            ),
        },
        "wrong": {
            "never copied": (worker(LEARN, HAND, STEP), "old weights"),
            "copied the wrong way": (
                worker("shared.load_state_dict(own.state_dict())", LEARN, HAND, STEP),
                "old weights",
            ),
            "no step": (worker(COPY, LEARN, HAND), "did not change"),
            "gradient not handed over": (worker(COPY, LEARN, STEP), "did not change"),
            "zeroed at the end": (
                worker(COPY, LEARN, HAND, "optimizer.zero_grad(set_to_none=False)", STEP),
                "did not change",
            ),
            "learned on the shared network": (
                worker(COPY, "figures = learn(shared)", STEP, COPY),
                "changed while it learned",
            ),
            "two steps": (worker(COPY, LEARN, HAND, STEP, STEP), "not by one step"),
            "figures forgotten": (
                worker(COPY, "learn(own)", HAND, STEP, "figures = None"),
                "Return what",
            ),
        },
    },
    "train_pegs": {
        "right": {
            "the lesson's": train(),
            "more boards at once": train(games="Games(80, rng, starts=starts)"),
            "on one network, without reports": """
def train_pegs(network, updates, rng):
    games = Games(64, rng, starts=starts)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, updates)
    for _ in range(updates):
        gradient(network, games)
        optimizer.step()
        falling.step()
""",
        },
        "wrong": {
            "a tenth of the updates": (
                train(step=f"{ROUND}\n        if update == updates // 10: return"),
                "are all the updates made",
            ),
            "the optimizer of the copy": (
                train().replace("Adam(network.parameters()", "Adam(own.parameters()"),
                "does each round change the network",
            ),
            "learn called too early": (
                train(step="worker_step(network, own, optimizer, gradient(own, games))"),
                "object is not callable",
            ),
            "no round at all": (train(step="games.recent()"), "does each round change the network"),
            "return instead of yield": (train().replace("yield", "return"), "`yield` it"),
        },
    },
}
