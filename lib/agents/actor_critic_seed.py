"""Actor-critic as the solitaire seed describes it: synchronous, with a buffer of what was played.

    one iteration: play 16 games to their ends, all with the same network; after every 4 moves
        the critic target of each of the 4 states is the rewards from there on, plus the value
            of the state after the 4 moves (nothing if the game is over)
        its advantage is that target minus the value of the state
        state, advantage, action and critic target go into the buffer
        mini-batches drawn from the buffer update the network
    then the weights are saved, and 30 games are played and written to the results file

A move earns 1/31, and solving the game 1 more. The advantages in the buffer are those of older
weights, and random play never meets the goal: it stalls at two or three pegs, and lesson 5 shows
why. `actor_critic.py` is what works.
"""

import json
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from lib.agents.actor_critic import one_thread
from lib.agents.progress import Progress
from lib.agents.solitaire_networks import NETWORKS, described, draw, save_network, seeded_network
from lib.files import write_whole
from lib.games import batch_solitaire as batch
from lib.games.solitaire import START, TO_REMOVE


@dataclass(frozen=True)
class SeedSettings:
    """The seed's own, as its configuration file has them."""

    network: str = "ConvNet"
    width: int = 32
    iterations: int = 800
    games: int = 16  # played together, by the same network
    moves: int = 4  # on each board between two updates
    buffer: int = 512  # states remembered: the oldest go first
    batch: int = 64  # states in a mini-batch
    batches: int = 1  # mini-batches for each update
    gamma: float = 1.0
    alpha: float = 5e-5  # Adam's step size
    actor_weight: float = 0.01
    critic_weight: float = 100.0
    entropy_weight: float = 0.0
    move_reward: float = 1 / TO_REMOVE
    solved_reward: float = 1.0
    evaluation_games: int = 30


class Sample(NamedTuple):
    """One entry of the buffer."""

    state: int
    advantage: float
    action: int
    critic_target: float


def critic_targets(
    rewards: np.ndarray, ended: np.ndarray, last_values: np.ndarray, gamma: float
) -> np.ndarray:
    """Rewards from each move on, plus the value after the last; moves×games. An end ends it."""
    targets = np.empty_like(rewards)
    after = last_values
    for t in reversed(range(len(rewards))):
        after = rewards[t] + gamma * np.where(ended[t], 0.0, after)
        targets[t] = after
    return targets


class SeedActorCritic:
    """The learner: `for progress in SeedActorCritic().train("runs/seed"): ...`."""

    def __init__(self, settings: SeedSettings | None = None, seed: int = 0) -> None:
        self.settings = chosen = settings or SeedSettings()
        self.rng = np.random.default_rng(seed)
        self.network: Any = seeded_network(lambda: NETWORKS[chosen.network](chosen.width), seed)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=chosen.alpha)
        self.buffer: deque[Sample] = deque(maxlen=chosen.buffer)
        self.iteration = 0
        self.seconds = 0.0  # of CPU

    def train(
        self, results: str | Path | None = None, weights: str | Path | None = None
    ) -> Iterator[Progress]:
        """Iterate to the end; stop when you like, and call again.

        `results` is a folder for `results.jsonl`, a line for each iteration, and for what
        `load` needs; `weights` one for `weights-0001.pt` and on.
        """
        while self.iteration < self.settings.iterations:
            begun = time.process_time()
            with one_thread():
                self.play_iteration()
                pegs = self.evaluate()
            self.iteration += 1
            self.seconds += time.process_time() - begun
            if weights is not None:
                save_network(weights_file(weights, self.iteration), self.network)
            if results is not None:
                row = {"iteration": self.iteration, "seconds": self.seconds, "pegs": pegs}
                write_result(results, row)
                self.save(Path(results) / "training.pt")
            metrics = {"pegs": float(np.mean(pegs)), "solved": pegs.count(1) / len(pegs)}
            yield Progress(self.iteration, self.settings.iterations, "iterations", metrics)

    def play_iteration(self) -> None:
        """All games from the start to their ends, with an update after every few moves."""
        boards = np.full(self.settings.games, START)
        while len(boards):
            boards = self.play_moves(boards)
            self.update()

    def play_moves(self, boards: np.ndarray) -> np.ndarray:
        """A few moves on every board, put into the buffer; the boards that are still going on."""
        rows = []
        running = np.ones(len(boards), dtype=bool)
        for _ in range(self.settings.moves):
            logits, values = self._look(boards)
            actions = np.where(running, draw(logits, self.rng), 0)
            after = boards.copy()
            after[running] = batch.play(boards[running], actions[running])
            ended = ~batch.legal(after).any(axis=1)
            rows.append((boards, actions, values, self._rewards(after, running), ended, running))
            boards, running = after, running & ~ended
        states, actions, values, rewards, ended, played = map(np.stack, zip(*rows, strict=True))
        last_values = self._look(boards)[1]
        targets = critic_targets(rewards, ended, last_values, self.settings.gamma)
        columns = (states, targets - values, actions, targets)
        self.buffer.extend(map(Sample, *(column[played].tolist() for column in columns)))
        return boards[running]

    def _rewards(self, after: np.ndarray, running: np.ndarray) -> np.ndarray:
        solved = batch.count_pegs(after) == 1
        earned = self.settings.move_reward + self.settings.solved_reward * solved
        return np.where(running, earned, 0.0).astype(np.float32)

    @torch.no_grad()
    def _look(self, boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        legal = batch.legal(boards)
        logits, values = self.network(self.network.encode(boards, legal), torch.from_numpy(legal))
        return logits.numpy(), values.numpy()

    def update(self) -> None:
        """Mini-batches from the buffer, a step of Adam each."""
        for _ in range(self.settings.batches):
            size = min(self.settings.batch, len(self.buffer))
            chosen = self.rng.choice(len(self.buffer), size, replace=False)
            loss = self.loss([self.buffer[i] for i in chosen.tolist()])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def loss(self, samples: list[Sample]) -> Tensor:
        """Actor, critic and entropy, weighted; advantages and targets are those of the buffer."""
        states, advantages, actions, targets = map(np.array, zip(*samples, strict=True))
        legal = batch.legal(states)
        logits, values = self.network(self.network.encode(states, legal), torch.from_numpy(legal))
        log_pi = logits.log_softmax(dim=1)
        taken = log_pi.gather(1, torch.from_numpy(actions)[:, None]).squeeze(1)
        actor = -(taken * torch.from_numpy(advantages).float()).mean()
        critic = (torch.from_numpy(targets).float() - values).square().mean()
        entropy = -(log_pi.exp() * log_pi).sum(dim=1).mean()
        weights = self.settings
        return (
            weights.actor_weight * actor
            + weights.critic_weight * critic
            - weights.entropy_weight * entropy
        )

    def evaluate(self) -> list[int]:
        """Pegs left in games drawn from the policy, all played together."""
        boards, ends = np.full(self.settings.evaluation_games, START), []
        while len(boards):
            boards = batch.play(boards, draw(self._look(boards)[0], self.rng))
            over = ~batch.legal(boards).any(axis=1)
            ends += batch.count_pegs(boards[over]).tolist()
            boards = boards[~over]
        return ends

    def save(self, path: str | Path) -> Path:
        """Write the weights and all that is needed to go on training."""
        content = {
            "network": described(self.network),
            "optimizer": self.optimizer.state_dict(),
            "settings": asdict(self.settings),
            "dice": json.dumps(self.rng.bit_generator.state),
            "buffer": torch.tensor(list(self.buffer), dtype=torch.float64),
            "progress": [self.iteration, self.seconds],
        }
        return write_whole(path, lambda file: torch.save(content, file))

    @classmethod
    def load(cls, path: str | Path, **changed: Any) -> "SeedActorCritic":
        """The learner that `save` wrote, with settings changed if you like."""
        content = torch.load(path, weights_only=True)
        learner = cls(SeedSettings(**{**content["settings"], **changed}))
        learner.network.load_state_dict(content["network"]["weights"])
        learner.optimizer.load_state_dict(content["optimizer"])
        learner.rng.bit_generator.state = json.loads(content["dice"])
        rows = content["buffer"].tolist()
        learner.buffer.extend(Sample(int(s), adv, int(a), target) for s, adv, a, target in rows)
        learner.iteration, learner.seconds = content["progress"]
        return learner


def write_result(folder: str | Path, row: dict[str, Any]) -> None:
    """One more line of the results file."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    with (Path(folder) / "results.jsonl").open("a", encoding="utf8") as file:
        file.write(json.dumps(row) + "\n")


def read_results(folder: str | Path) -> list[dict[str, Any]]:
    """The lines of the results file, an iteration each; of one written twice, the later."""
    lines = (Path(folder) / "results.jsonl").read_text(encoding="utf8").splitlines()
    rows = {row["iteration"]: row for row in map(json.loads, filter(None, lines))}
    return [rows[iteration] for iteration in sorted(rows)]


def analyse(rows: list[dict[str, Any]], window: int = 20) -> list[dict[str, float]]:
    """Pegs left and share solved, averaged over every `window` iterations."""
    parts = [rows[at : at + window] for at in range(0, len(rows), window)]
    found = []
    for part in parts:
        pegs = np.concatenate([row["pegs"] for row in part])
        found.append(
            {
                "iteration": float(part[-1]["iteration"]),
                "pegs": float(pegs.mean()),
                "fewest": float(pegs.min()),
                "solved": float((pegs == 1).mean()),
            }
        )
    return found


def weights_file(folder: str | Path, iteration: int) -> Path:
    """Where the weights of an iteration are."""
    return Path(folder) / f"weights-{iteration:04}.pt"


def best_iteration(rows: list[dict[str, Any]]) -> int:
    """The one whose games left the fewest pegs on average."""
    return int(min(rows, key=lambda row: float(np.mean(row["pegs"])))["iteration"])
