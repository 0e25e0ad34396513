"""Matches, evaluations and tournaments between any agents of a game.

    match(TapnSwap(), QAgent(), RandomAgent(), games=200).interval   # two players
    evaluate(Game2048(), DQNAgent(), games=100).mean                 # one player
    tournament(TapnSwap(), {"Q": QAgent(), "random": RandomAgent})   # everyone against everyone

Seats are swapped from game to game, each game has dice of its own, and a game that reaches the
turn limit is a draw; an agent that forfeits has lost. An agent is an `Agent`, or anything callable
that makes one. Agents are copied every few games: a match leaves those you pass as they were, and
its result is the same in one process, in several, and on a cluster.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, TypedDict, Unpack

import cloudpickle
import numpy as np

from lib import parallel
from lib.arena_results import Played, Result, Scores, Table, standings
from lib.game import Agent, Forfeit, Game, play

__all__ = ["Result", "Scores", "Table", "evaluate", "match", "one_thread", "tournament"]

Player = Agent | Callable[[], Agent]
Seed = int | np.random.SeedSequence

LIMIT = 200  # turns after which a game of two is a draw
BATCH = 10  # games that share a copy of their agents, wherever they run


class Where(TypedDict, total=False):
    """Where the games run, and who is told how far they are: see `lib.parallel.run`."""

    jobs: int
    ray: str | None
    progress: parallel.Report | str | None
    fit: Callable[[], str] | None  # why a node of a cluster can't be used
    keep: str | Path | None  # a file of finished games, from which an interrupted call goes on


@dataclass(frozen=True)
class _Batch:
    """Some games of one match: who plays, the numbers of the games, and a seed for each."""

    names: tuple[str, ...]
    numbers: range
    seeds: tuple[np.random.SeedSequence, ...]


def match(
    game: Game[Any],
    agent_a: Player,
    agent_b: Player,
    games: int = 100,
    seed: Seed = 0,
    max_turns: int | None = LIMIT,
    **where: Unpack[Where],
) -> Result:
    """Wins, draws and losses of `agent_a`, who starts in every other game."""
    _check(game, 2, games, max_turns)
    agents = {"a": agent_a, "b": agent_b}
    batches = _batches(("a", "b"), games, seed)
    return Result.of(_played(game, agents, batches, max_turns, f"seed {seed}", where))


def evaluate(
    game: Game[Any],
    agent: Player,
    games: int = 100,
    seed: Seed = 0,
    max_turns: int | None = None,
    **where: Unpack[Where],
) -> Scores:
    """Scores and outcomes of an agent of a one-player game, with mean and standard error."""
    _check(game, 1, games, max_turns)
    batches = _batches(("a",), games, seed)
    return Scores.of(_played(game, {"a": agent}, batches, max_turns, f"seed {seed}", where))


def tournament(
    game: Game[Any],
    agents: Mapping[str, Player],
    games: int = 100,
    seed: Seed = 0,
    max_turns: int | None = None,
    **where: Unpack[Where],
) -> Table:
    """Everyone against everyone, `games` per pair; in a one-player game, everyone for themselves.

    Unless `max_turns` is given, games of two end after 200 turns, and games of one never. With
    `keep`, the file belongs to these names: delete it when an agent behind a name changes.
    """
    max_turns = LIMIT if max_turns is None and game.n_players == 2 else max_turns
    _check(game, game.n_players, games, max_turns)
    if len(agents) < 2:
        raise ValueError(f"a tournament needs two agents or more, not {list(agents)}")
    pairs = list(combinations(agents, game.n_players))
    seeds = _sequence(seed).spawn(len(pairs))
    batches = [batch for p, s in zip(pairs, seeds, strict=True) for batch in _batches(p, games, s)]
    results = _played(game, agents, batches, max_turns, f"seed {seed}", where)
    per_pair = [results[at : at + games] for at in range(0, len(results), games)]
    return standings(tuple(agents), dict(zip(pairs, per_pair, strict=True)))


def _check(game: Game[Any], n_players: int, games: int, max_turns: int | None) -> None:
    """ValueError unless this many games of this game make sense."""
    if game.n_players != n_players:
        remedy = "`evaluate`" if game.n_players == 1 else "`match` or `tournament`"
        raise ValueError(f"{game.title} is a game for {game.n_players}: use {remedy}")
    if games < 1:
        raise ValueError(f"games={games}: play at least one")
    if max_turns is not None and max_turns < 1:
        raise ValueError(f"max_turns={max_turns}: give a positive limit, or None for no limit")


def _sequence(seed: Seed) -> np.random.SeedSequence:
    """The seed as a fresh sequence, so that the same seed gives the same games again."""
    if isinstance(seed, np.random.SeedSequence):
        return np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
    return np.random.SeedSequence(seed)


def _batches(names: tuple[str, ...], games: int, seed: Seed) -> list[_Batch]:
    """The games of one match, cut into batches that do not depend on where they run."""
    seeds = tuple(_sequence(seed).spawn(games))
    cuts = [range(at, min(at + BATCH, games)) for at in range(0, games, BATCH)]
    return [_Batch(names, cut, seeds[cut.start : cut.stop]) for cut in cuts]


def _played(
    game: Game[Any],
    agents: Mapping[str, Player],
    batches: list[_Batch],
    max_turns: int | None,
    key: str,
    where: Where,
) -> list[Played]:
    """Every game of the batches, in order."""
    spread = where.get("jobs", 1) != 1 or where.get("ray") is not None
    packed = {name: _packed(name, agent, spread) for name, agent in agents.items()}
    function = partial(_play_batch, game, packed, max_turns)
    total = sum(len(batch.numbers) for batch in batches)
    key = f"{game.name}, {', '.join(agents)}: {total} games of {max_turns} turns, {key}"
    rows: list[list[Any]] = [[] for _ in batches]
    done = 0
    with (
        parallel.reporting(total, where.get("progress")) as report,
        closing(_run(batches, function, key, where)) as results,
    ):
        for index, rows[index] in results:
            done += len(rows[index])
            report(done, total)
    return [Played(tuple(o), tuple(s), t, cut, f) for batch in rows for o, s, t, cut, f in batch]


def _run(batches: list[_Batch], function: Callable[[_Batch], Any], key: str, where: Where) -> Any:
    """The batches' results as they come; through the file, where one is kept."""
    keep = where.get("keep")
    there: dict[str, Any] = {k: v for k, v in where.items() if k in ("jobs", "ray", "fit")}
    if keep is None:
        return parallel.run(batches, function, **there)
    return parallel.kept(keep, key, batches, function, **there)


def _packed(name: str, agent: Player, spread: bool) -> bytes | Player:
    """An agent as bytes, from which each batch makes its own; itself, if it can't be copied."""
    try:
        return cloudpickle.dumps(agent)
    except Exception as error:
        if not spread:  # such as a player at a keyboard
            return agent
        raise ValueError(
            f"agent {name} can't be sent to another process ({error}): play with jobs=1, "
            "or pass a function that makes the agent"
        ) from error


def _unpacked(packed: bytes | Player) -> Agent:
    """An agent to play with."""
    player = cloudpickle.loads(packed) if isinstance(packed, bytes) else packed
    made = player if isinstance(player, Agent) else player()
    if not isinstance(made, Agent):
        raise ValueError(f"{made!r} is not an agent: derive its class from lib.game.Agent")
    return made


def _play_batch(
    game: Game[Any], packed: dict[str, bytes | Player], max_turns: int | None, batch: _Batch
) -> list[Any]:
    """Play some games: [outcomes, scores, turns, truncated, final] of each, as plain data."""
    agents = [_unpacked(packed[name]) for name in batch.names]
    with one_thread():
        return [
            _play_one(game, agents, number, np.random.default_rng(seed), max_turns)
            for number, seed in zip(batch.numbers, batch.seeds, strict=True)
        ]


@contextmanager
def one_thread() -> Iterator[None]:
    """Torch, where an agent uses it, on one thread: on one board a second only waits."""
    torch = sys.modules.get("torch")
    before = torch.get_num_threads() if torch else 1
    if torch:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        if torch:
            torch.set_num_threads(before)


def _play_one(
    game: Game[Any],
    agents: list[Agent],
    number: int,
    rng: np.random.Generator,
    max_turns: int | None,
) -> list[Any]:
    """One game; in odd games the seats are swapped, and swapped back in what is returned."""
    turn = -1 if number % 2 else 1
    try:
        record = play(game, agents[::turn], rng, max_turns=max_turns)
    except Forfeit as given_up:
        lost = [-1.0 if agent is given_up.agent else 1.0 for agent in agents]
        return [lost, [0.0] * len(agents), 0, False, game.write(game.start())]
    outcome = (0.0,) * len(agents) if record.truncated else record.outcome
    plain = [[float(x) for x in values[::turn]] for values in (outcome, record.score)]
    return [*plain, len(record.moves), record.truncated, game.write(record.states[-1])]
