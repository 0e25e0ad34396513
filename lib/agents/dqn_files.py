"""The files of `AfterstateDQN`: small weights to play with, and all that learning on needs."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lib.agents.afterstate_dqn import AfterstateDQN, Settings
from lib.files import write_whole


def resume_file(path: str | Path) -> Path:
    """Where the training state of the weights in `path` is kept: 2048-dqn.resume.pt."""
    return Path(path).with_suffix(".resume.pt")


def save(agent: AfterstateDQN, path: str | Path, *, resume: bool = True) -> Path:
    """Write the mean network's weights in 16 bits, and beside them what learning on needs."""
    named = agent.mean.state_dict()
    small = {name: w.detach().cpu().to(torch.float16).numpy() for name, w in named.items()}
    about = np.array(json.dumps(asdict(agent.settings)))
    write_whole(path, lambda file: np.savez_compressed(file, settings=about, **small))
    if resume:
        write_whole(resume_file(path), lambda file: torch.save(_state(agent), file))
    return Path(path)


def load(path: str | Path, device: str = "auto") -> AfterstateDQN:
    """The network that `save` wrote, ready to play."""
    with np.load(path, allow_pickle=False) as file:
        settings = Settings(**json.loads(str(file["settings"])))
        weights = {name: torch.from_numpy(file[name]) for name in file if name != "settings"}
    agent = AfterstateDQN(replace(settings, games=1, replay=2), device=device)
    for network in (agent.network, agent.target, agent.mean):
        network.load_state_dict(weights)
    return agent


def load_resume(path: str | Path, device: str = "auto") -> AfterstateDQN:
    """The agent exactly as it was when it was saved to `path`, ready to learn on."""
    state = torch.load(resume_file(path), weights_only=True)
    agent = AfterstateDQN(Settings(**json.loads(state["settings"])), device=device)
    for name in ("network", "target", "mean", "optimizer"):
        getattr(agent, name).load_state_dict(state[name])
    for name, array in _arrays(agent).items():
        array[:] = state["arrays"][name].numpy().view(array.dtype)
    counts = json.loads(state["counts"])
    agent.rng.bit_generator.state = counts["rng"]
    agent.ring.count = counts["ring"]
    agent.steps, agent.updates = counts["steps"], counts["updates"]
    agent.seconds = counts["seconds"]
    agent.finished = [(score, board) for score, board in counts["finished"]]
    return agent


def _arrays(agent: AfterstateDQN) -> dict[str, np.ndarray]:
    """The arrays that games and replay live in, by name."""
    games, ring = agent.games, agent.ring
    return {
        "boards": games.boards,
        "scores": games.scores,
        "dice": games.dice,
        "ring.boards": ring.boards,
        "ring.actions": ring.actions,
        "ring.rewards": ring.rewards,
        "ring.over": ring.over,
    }


def _state(agent: AfterstateDQN) -> dict[str, Any]:
    """Tensors and JSON only, so that it loads without running code."""
    counts = {
        "rng": agent.rng.bit_generator.state,
        "ring": agent.ring.count,
        "steps": agent.steps,
        "updates": agent.updates,
        "seconds": agent.seconds,
        "finished": agent.finished,
    }
    return {
        "network": agent.network.state_dict(),
        "target": agent.target.state_dict(),
        "mean": agent.mean.state_dict(),
        "optimizer": agent.optimizer.state_dict(),
        "arrays": {n: torch.from_numpy(a.view(np.uint8)) for n, a in _arrays(agent).items()},
        "counts": json.dumps(counts),
        "settings": json.dumps(asdict(agent.settings)),
    }
