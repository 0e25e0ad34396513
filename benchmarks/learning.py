"""Learning: steps and CPU-seconds to the marks of the agents, remade; and steps beside a peer."""

import time
from collections.abc import Callable

from benchmarks.engines import peer
from benchmarks.measure import Effort
from benchmarks.parts import Bar, Found, Part, Row, Table, timed
from lib.games.tapnswap import TapnSwap

LEARNERS = ("normal", "full")  # too long for --quick
FULL = ("full",)


def q_games() -> Callable[[], int]:
    """Training games of the seed's form against random play."""
    from lib.agents.q_learning import QLearning

    learner = QLearning(TapnSwap(), seed=0)

    def some() -> int:
        for _ in learner.train(1_000):
            pass
        return 1_000

    return some


def to_perfection(what: str) -> Callable[[Effort], Found]:
    """CPU-seconds, or games, until self-play keeps the value in 177 of 177 positions."""
    from lib.agents.q_learning import NegamaxQLearning, QPlayer
    from lib.truth.fingers import kept, solve

    def run(effort: Effort) -> Found:
        game, found = TapnSwap(), []
        truth = solve(game)
        for seed in range(5 if effort.mode == "quick" else 20):
            learner, spent, right = NegamaxQLearning(game, seed=seed), 0.0, (0, 1)
            while right[0] < right[1]:
                begun = time.process_time()
                for _ in learner.train(100, every=100):
                    pass
                spent += time.process_time() - begun
                right = kept(truth, QPlayer(learner).choices)
            found.append(spent if what == "seconds" else float(learner.games))
        return {"values": found}

    return run


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


def solitaire_marks(effort: Effort) -> Found:
    """CPU-seconds until 95 % of the last 500 games from the usual start end with one peg."""
    from lib.agents.actor_critic import ActorCritic

    found = []
    for seed in range(5 if effort.mode == "full" else 1):
        learner = ActorCritic(seed=seed)
        for progress in learner.train(seconds=300):
            if progress.metrics.get("solved", 0.0) >= 0.95:
                break
        else:
            raise RuntimeError(f"seed {seed} did not come to 95 % in 300 CPU-seconds")
        found.append(learner.seconds)
    return {"values": found}


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
    "tapnswap-seconds": Table(
        "TapnSwap, self-play until 177 of 177 positions are right",
        "CPU-seconds, one value a seed",
        (Row("ours, negamax Q-learning", to_perfection("seconds")),),
    ),
    "tapnswap-games": Table(
        "TapnSwap, self-play until 177 of 177 positions are right",
        "games, one value a seed",
        (Row("ours, negamax Q-learning", to_perfection("games")),),
    ),
    "solitaire-seconds": Table(
        "Peg solitaire, until 95 % of sampled games end with one peg",
        "CPU-seconds, one value a seed",
        (Row("ours, actor-critic with the curriculum", solitaire_marks, modes=FULL),),
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
    (
        "the strength of the shipped networks: `lib/weights/README.md` names the command that made "
        "each and what it reaches.",
    ),
    spreads=True,
)
