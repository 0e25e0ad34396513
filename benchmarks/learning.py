"""Learning: steps and CPU-seconds to the marks of the agents, remade; and steps beside a peer."""

import time
from collections.abc import Callable
from functools import cache, partial

from benchmarks.engines import peer
from benchmarks.measure import Effort
from benchmarks.parts import Bar, Found, Part, Row, Table, timed
from lib.games.tapnswap import TapnSwap

LEARNERS = ("normal", "full")  # too long for --quick
MARKS = {"2048": {"512": 0.5, "1024": 0.5, "2048": 0.25}, "solitaire": {"solved": 0.95}}
LIMIT = 600.0  # CPU-seconds that a training may take
Reached = tuple[float, float]  # CPU-seconds and steps


def q_games() -> Callable[[], int]:
    """Training games of the seed's form against random play."""
    from lib.agents.q_learning import QLearning

    learner = QLearning(TapnSwap(), seed=0)

    def some() -> int:
        for _ in learner.train(1_000):
            pass
        return 1_000

    return some


@cache
def to_perfection(seed: int) -> Reached:
    """Self-play until it keeps the value in 177 of 177 positions: CPU-seconds and games."""
    from lib.agents.q_learning import NegamaxQLearning, QPlayer
    from lib.truth.fingers import kept, solve

    game = TapnSwap()
    learner, truth, spent, right = NegamaxQLearning(game, seed=seed), solve(game), 0.0, (0, 1)
    while right[0] < right[1]:
        begun = time.process_time()
        for _ in learner.train(100, every=100):
            pass
        spent += time.process_time() - begun
        right = kept(truth, QPlayer(learner).choices)
    return spent, float(learner.games)


@cache
def followed(game: str, seed: int) -> dict[str, Reached]:
    """A training that goes on until all marks of its game are passed: when it passed each."""
    from lib.agents.actor_critic import ActorCritic
    from lib.agents.afterstate_dqn import AfterstateDQN

    learner: ActorCritic | AfterstateDQN
    if game == "2048":
        learner = AfterstateDQN(seed=seed)
        training = learner.train(minutes=LIMIT / 60)
    else:
        learner = ActorCritic(seed=seed)
        training = learner.train(seconds=LIMIT)
    found: dict[str, Reached] = {}
    for progress in training:
        told = progress.metrics
        for figure, share in MARKS[game].items():
            if told.get(figure, 0.0) >= share:
                found.setdefault(figure, (learner.seconds, told["steps"]))
        if len(found) == len(MARKS[game]):
            return found
    raise RuntimeError(f"seed {seed} did not pass every mark of {game} in {LIMIT} CPU-seconds")


def by_seed(seeds: int, reach: Callable[[int], Reached], which: int) -> Callable[[Effort], Found]:
    """The `run` of a row: CPU-seconds (0) or steps (1) to a mark, one value a seed."""
    return lambda effort: {"values": [reach(seed)[which] for seed in range(seeds)]}


def actor_critic(games: int) -> Callable[[], Callable[[], int]]:
    """Our learner on so many boards at once: 8 moves on each, then one update."""

    def make() -> Callable[[], int]:
        from lib.agents.actor_critic import ActorCritic, Settings

        learner = ActorCritic(Settings(games=games))

        def some() -> int:
            for _ in learner.train(updates=learner.updates + 4, report=4):
                pass
            return 4 * 8 * games

        return some

    return make


def marks(which: int) -> tuple[Row, ...]:
    """A row for each mark, in CPU-seconds (0) or in steps (1)."""
    perfection = by_seed(20, to_perfection, which)
    rows = [Row("TapnSwap, self-play: 177 of 177 positions right", perfection)]
    for game, figure, text in (
        ("2048", "512", "2048, afterstates: 512 in half of the last 500 games"),
        ("2048", "1024", "2048, afterstates: 1024 in half of them"),
        ("2048", "2048", "2048, afterstates: 2048 in a quarter of them"),
        ("solitaire", "solved", "solitaire, curriculum: one peg in 95 % of the last 500 games"),
    ):
        run = by_seed(3, partial(mark_of, game, figure), which)
        rows.append(Row(text, run, modes=LEARNERS))
    return tuple(rows)


def mark_of(game: str, figure: str, seed: int) -> Reached:
    """When a training passed one of its marks."""
    return followed(game, seed)[figure]


STEPS = tuple(
    Row(name, run, kind)
    for boards in (1, 16, 64)
    for name, run, kind in (
        (f"ours, {boards} boards", timed(actor_critic(boards)), "ours"),
        (
            f"stable-baselines3 A2C, {boards} boards",
            peer("stable-baselines3", "sb3_a2c.py", str(boards)),
            "peer",
        ),
    )
)
TABLES = {
    "actor-critic": Table(
        "Actor-critic on peg solitaire: moves learned from",
        "moves per CPU-second",
        STEPS,
        about="8 moves on each board between two updates, two hidden layers of 256. "
        "stable-baselines3 plays our Gymnasium environment, ours the same rules in batch form.",
        in_turns=True,
    ),
    "tapnswap-speed": Table(
        "TapnSwap, Q-learning against random play",
        "training games per CPU-second",
        (Row("ours, the seed's form, plain Python", timed(q_games)),),
        in_turns=True,
    ),
    "marks-seconds": Table(
        "From the first move to a mark",
        "CPU-seconds, one value a seed",
        marks(0),
        about="Games are those of the training itself, with what it explores.",
    ),
    "marks-steps": Table(
        "The same in steps",
        "games (TapnSwap) or moves, one value a seed",
        marks(1),
    ),
}
PART = Part(
    "learning",
    "Learning",
    TABLES,
    (
        Bar(
            "TapnSwap, Q-learning: at least 20,000 training games",
            "tapnswap-speed",
            "ours, the seed's form, plain Python",
            20_000,
        ),
    ),
    spreads=True,
)
