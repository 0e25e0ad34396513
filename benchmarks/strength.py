"""Strength: the bars of the reference agents, remade; what is shipped is measured as it lies.

`--full` also trains what the bars of training ask for, with five seeds each: about two CPU-hours.
Interrupted, the sweeps go on with the seeds that are missing (their files are in runs/bench).
"""

import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.measure import Effort
from benchmarks.parts import Bar, Found, Part, Row, Table
from lib.agents.droid_agents import DroidAgent, RandomAgent, fight
from lib.agents.registry import RUNS, WEIGHTS
from lib.games.chopsticks import Chopsticks
from lib.games.tapnswap import TapnSwap

FULL = ("full",)
NORMAL = ("normal", "full")
SEEDS = 5


def percent(share: float) -> float:
    """0.925 -> 92.5"""
    return round(100 * share, 2)


def tapnswap(measured: str) -> Callable[[Effort], Found]:
    """Tables of TapnSwap by seed: exact positions of 177, or % won from the worse seat."""
    from lib.agents.q_learning import NegamaxQLearning, QLearning, QPlayer
    from lib.truth.fingers import chances, kept, solve

    def run(effort: Effort) -> Found:
        game, values = TapnSwap(), []
        for seed in range(SEEDS if effort.mode == "quick" else 20):
            form = QLearning if measured == "random" else NegamaxQLearning
            learner = form(game, seed=seed)
            for _ in learner.train(10_000):
                pass
            choices = QPlayer(learner).choices
            if measured == "exact":
                values.append(float(kept(solve(game), choices)[0]))
            else:
                values.append(percent(min(chances(game, choices, seat).win for seat in (0, 1))))
        return {"values": values}

    return run


def against_perfect(effort: Effort) -> Found:
    """% of games that self-play wins from the second seat against perfect play, by seed."""
    from lib.agents.perfect_fingers import PerfectFingers
    from lib.agents.q_learning import NegamaxQLearning, QPlayer
    from lib.game import play

    values = []
    for seed in range(SEEDS):
        learner = NegamaxQLearning(TapnSwap(), seed=seed)
        for _ in learner.train(10_000):
            pass
        dice = (np.random.default_rng([seed, number]) for number in range(100))
        records = [play(TapnSwap(), [PerfectFingers(), QPlayer(learner)], rng) for rng in dice]
        values.append(percent(np.mean([record.outcome[1] == 1 for record in records])))
    return {"values": values}


def search(game: Chopsticks) -> Callable[[Effort], Found]:
    """% of positions where tree search keeps the value, and, if won, wins whatever the reply."""
    from lib.agents.mcts import MCTSPlayer
    from lib.agents.mcts_compiled import CompiledMCTS
    from lib.truth.fingers import forced_wins, solve

    def right(seed: int) -> float:
        learner, truth = CompiledMCTS(game, seed=seed), solve(game)
        for _ in learner.train():
            pass
        player = MCTSPlayer(learner.nodes)
        numbers = [s for s, moves in enumerate(game.graph.after) if moves]
        wins = forced_wins(game, lambda state: [player.act(game, state, state.player)])
        good = 0
        for s in numbers:
            state = game.state(s)
            worth = truth.worth(state, player.act(game, state, state.player))[0]
            good += worth == truth.values[s] and (truth.values[s] != 1 or s in wins)
        return percent(good / len(numbers))

    return lambda effort: {"values": [right(seed) for seed in range(SEEDS)]}


def games_of(one: DroidAgent, other: DroidAgent, games: int = 100) -> np.ndarray:
    """The final leads of `one`, seats in turn."""
    return np.array([sum(fight(one, other, swapped=n % 2 == 1)) for n in range(games)])


def droid_learner(effort: Effort) -> Found:
    """Of 100 games after 3 CPU-minutes of training against the frozen agent, those not lost."""
    from lib.agents.droid_agents import train
    from lib.agents.droid_q import QAgent
    from lib.agents.droid_roster import trained

    values = []
    for seed in range(SEEDS):
        agent, begun = QAgent(seed=seed), time.process_time()
        for _ in train(agent, trained("frozen", seed), rounds=10**9):
            if time.process_time() - begun > 180:
                break
        values.append(float((games_of(agent, trained("frozen", 100 + seed)) >= 0).sum()))
    return {"values": values}


@cache
def minimax_leads(foe: str, seed: int) -> np.ndarray:
    """The final leads of 100 games of the reference minimax against a shipped table."""
    from lib.agents.droid_roster import trained
    from lib.agents.minimax import MinimaxAgent

    return games_of(MinimaxAgent(seed=seed), trained(foe, 100 + seed))


def minimax_games(foe: str, counted: str) -> Callable[[Effort], Found]:
    """Of these games, those won or those not lost, by seed."""

    def run(effort: Effort) -> Found:
        leads = [minimax_leads(foe, seed) for seed in range(SEEDS)]
        good = [lead > 0 if counted == "won" else lead >= 0 for lead in leads]
        return {"values": [float(games.sum()) for games in good]}

    return run


def frozen_against_random(effort: Effort) -> Found:
    """Games of 1,000 that the frozen agent wins against random play, in %, by seed."""
    from lib.agents.droid_roster import trained

    leads = (games_of(trained("frozen", s), RandomAgent(seed=s), 1000) for s in range(SEEDS))
    return {"values": [percent(np.mean(lead > 0)) for lead in leads]}


def exploitability(name: str) -> Callable[[Effort], Found]:
    """What the best response wins of an agent: 0 is safe, 1 loses every game."""
    from lib.agents.droid_policies import as_policy, shares_of
    from lib.agents.droid_roster import roster
    from lib.games.droids import Droids
    from lib.truth.droids import exploitability, solve

    def run(effort: Effort) -> Found:
        game = Droids()
        policy = solve(game).policy if name == "perfect" else as_policy(shares_of(roster()[name]))
        return {"values": [abs(round(exploitability(game, policy), 9))]}

    return run


def tiles(path: Path, symmetries: int, games: int = 1000) -> float:
    """% of greedy games with the weights in a file that reach 2048."""
    from lib.agents.dqn_files import load

    played = load(path, device="cpu").test(games, seed=2048, symmetries=symmetries)
    return percent(played.reached(2048))


def shipped_2048(name: str, symmetries: int) -> Callable[[Effort], Found]:
    """The shipped network of layers, or of tuples."""
    return lambda effort: {"values": [tiles(WEIGHTS / f"2048-{name}.npz", symmetries)]}


def shipped_ntuple(effort: Effort) -> Found:
    """The shipped n-tuple network; 1,000 games."""
    from lib.agents.dqn_games import Games
    from lib.agents.ntuple import NTuple

    scores, boards = NTuple.load(WEIGHTS / "2048-ntuple.npz").test(1000, seed=2048)
    return {"values": [percent(Games(scores, boards, np.zeros(0)).reached(2048))]}


def swept(game: str, agent: str, minutes: float, jobs: int) -> Iterator[Path]:
    """The files of a training with each seed; seeds that runs/bench has are not trained again."""
    from lib.cli.sweep import Training, file_name, sweep

    folder = RUNS / "bench"
    tasks = [Training(game, agent, minutes, seed) for seed in range(1, SEEDS + 1)]
    sweep(tasks, folder, resume=True, jobs=jobs)
    for task in tasks:
        yield folder / file_name(task)


def trained_2048(effort: Effort) -> Found:
    """Ten CPU-minutes of DQN on afterstates, by seed."""
    return {"values": [tiles(path, symmetries=1) for path in swept("2048", "dqn", 10, jobs=2)]}


def seed_form(effort: Effort) -> Found:
    """The seed's Q form with every mend but afterstates, after one million moves."""
    from lib.agents.dqn_ladder import GROUPS, Rung, measure

    rung = GROUPS["ladder"]["symmetry"]
    assert isinstance(rung, Rung)
    seeds = range(1, SEEDS + 1)
    return {"values": [measure(rung, seed, 10**6, 1000)["score"] for seed in seeds]}


def preference(effort: Effort) -> Found:
    """The fixed preference: down, else left, else right, else up."""
    from lib.agents.dqn_games import play_games, preferring

    return {"values": [play_games(preferring((1, 2, 3, 0)), 1000, s).mean for s in range(SEEDS)]}


def positions(pegs: int, beam: bool) -> Callable[[Effort], Found]:
    """% of random solvable positions that the shipped network solves, last peg in the centre."""
    from lib.agents.solitaire_networks import load_network
    from lib.agents.solitaire_player import play_out, search_out, solved_share
    from lib.truth.solitaire import random_solvable

    def run(effort: Effort) -> Found:
        network = load_network(WEIGHTS / "solitaire.pt")
        count, find = (100, search_out) if beam else (2000, play_out)
        values = []
        for seed in range(SEEDS):
            boards = random_solvable(pegs, count, np.random.default_rng([pegs, seed]))
            values.append(percent(solved_share(find(network, boards), centre=True)))
        return {"values": values}

    return run


def asynchronous(figure: str) -> Callable[[Effort], Found]:
    """A3C after 120 CPU-seconds of two workers together, from the usual start, by seed."""
    from lib.agents.solitaire_networks import load_network
    from lib.agents.solitaire_player import strength

    def run(effort: Effort) -> Found:
        files = swept("solitaire", "a3c", 2, jobs=1)
        return {"values": [percent(strength(load_network(path))[figure]) for path in files]}

    return run


RULES = {
    "cut-off, own hand": Chopsticks(),
    "cut-off, no own hand": Chopsticks(self_tap=False),
    "roll-over, own hand": Chopsticks(rollover=True),
    "roll-over, no own hand": Chopsticks(rollover=True, self_tap=False),
}

EXPLOITED = (
    "Q vs random",
    "Q vs shooter",
    "Q frozen",
    "optimist",
    "pessimist",
    "minimax",
    "perfect",
)
TABLES = {
    "tapnswap-exact": Table(
        "TapnSwap, self-play of 10,000 games",
        "positions of 177 in which every choice keeps the exact value, one value a seed",
        (Row("negamax Q-learning", tapnswap("exact")),),
    ),
    "tapnswap-won": Table(
        "TapnSwap, games won",
        "% of games won, one value a seed",
        (
            Row("the seed's form, from the worse seat against random play", tapnswap("random")),
            Row("negamax Q-learning, second against perfect play", against_perfect),
        ),
        about="10,000 training games. Against random play the chances are exact.",
    ),
    "chopsticks": Table(
        "Chopsticks, tree search",
        "% of positions played right, one value a seed",
        tuple(Row(name, search(game)) for name, game in RULES.items()),
        about="1,000 iterations a root, statistics shared. Right: the move keeps the exact value, "
        "and a won position is won against every reply, without circles.",
    ),
    "droids": Table(
        "Droid battle",
        "of 100 games, one value a seed",
        (
            Row(
                "minimax against the frozen agent: won",
                minimax_games("frozen", "won"),
                modes=NORMAL,
            ),
            *(
                Row(
                    f"minimax against {name}: not lost",
                    minimax_games(name, "not lost"),
                    modes=NORMAL,
                )
                for name in ("frozen", "q-random", "q-shooter")
            ),
            Row("the frozen agent against random play: won", frozen_against_random),
        ),
    ),
    "exploitability": Table(
        "Droid battle, exploitability",
        "what the best response wins on average: 0 is safe, 1 every game",
        tuple(Row(name, exploitability(name), modes=NORMAL) for name in EXPLOITED),
    ),
    "2048": Table(
        "2048 reached",
        "% of 1,000 greedy games, no search",
        (
            Row(
                "shipped, layers, value averaged over 8 symmetries",
                shipped_2048("dqn", 8),
                modes=NORMAL,
            ),
            Row("shipped, layers", shipped_2048("dqn", 1), modes=NORMAL),
            Row("shipped, tuple embeddings", shipped_2048("tuples", 1), modes=NORMAL),
            Row("shipped, n-tuple TD", shipped_ntuple, modes=NORMAL),
            Row("layers, 10 CPU-minutes, one value a seed", trained_2048, modes=FULL),
        ),
    ),
    "2048-score": Table(
        "2048, the seed's own form, fixed",
        "mean score of 1,000 games, one value a seed",
        (
            Row("fixed preference", preference, "peer"),
            Row("the seed's form with every mend but afterstates", seed_form, modes=FULL),
        ),
        about="One million moves of training on 256 games at once.",
    ),
    "solitaire-positions": Table(
        "Peg solitaire, shipped weights on random solvable positions",
        "% solved, last peg in the centre; one value a draw",
        tuple(
            Row(f"{pegs} pegs, {name}", positions(pegs, beam), modes=NORMAL)
            for name, beam in (("greedy", False), ("beam of 64", True))
            for pegs in (10, 16, 22)
        ),
        about="Five draws of 2,000 positions for greedy play, of 100 for the beam.",
    ),
    "solitaire-a3c": Table(
        "Peg solitaire, A3C, 120 CPU-seconds summed over two workers",
        "%, one value a seed",
        (
            Row("greedy play ends in the centre", asynchronous("greedy in the centre"), modes=FULL),
            Row("sampled games end with one peg", asynchronous("sampled one peg"), modes=FULL),
        ),
    ),
    "droids-q": Table(
        "Droid battle, Q-learning against the frozen agent",
        "of 100 games those not lost, one value a seed",
        (Row("Q, 3 CPU-minutes of training", droid_learner, modes=FULL),),
    ),
}
BARS = (
    Bar(
        "TapnSwap, self-play: exact in every seed",
        "tapnswap-exact",
        "negamax Q-learning",
        177,
        take="worst",
    ),
    Bar(
        "TapnSwap, seed's form: % won against random",
        "tapnswap-won",
        "the seed's form, from the worse seat against random play",
        99.5,
        take="worst",
    ),
    Bar(
        "TapnSwap, self-play: % won, second against perfect play",
        "tapnswap-won",
        "negamax Q-learning, second against perfect play",
        100,
        take="worst",
    ),
    *(
        Bar(f"Chopsticks, {name}: % of positions right", "chopsticks", name, 100, take="worst")
        for name in RULES
    ),
    Bar(
        "Droids, Q after 3 minutes: games of 100 not lost",
        "droids-q",
        "Q, 3 CPU-minutes of training",
        98,
        take="worst",
    ),
    Bar(
        "Droids, minimax: games of 100 won against the frozen agent",
        "droids",
        "minimax against the frozen agent: won",
        80,
        take="worst",
    ),
    *(
        Bar(
            f"Droids, minimax: games of 100 not lost against {name}",
            "droids",
            f"minimax against {name}: not lost",
            98,
            take="worst",
        )
        for name in ("frozen", "q-random", "q-shooter")
    ),
    Bar(
        "Droids, the frozen agent: % won against random",
        "droids",
        "the frozen agent against random play: won",
        90,
        take="worst",
    ),
    Bar(
        "2048, 10 CPU-minutes: % reached, mean over seeds",
        "2048",
        "layers, 10 CPU-minutes, one value a seed",
        55,
        take="mean",
    ),
    Bar(
        "2048, layers, shipped: % reached",
        "2048",
        "shipped, layers, value averaged over 8 symmetries",
        75,
    ),
    Bar("2048, tuple embeddings, shipped: % reached", "2048", "shipped, tuple embeddings", 90),
    Bar("2048, n-tuple TD, shipped: % reached", "2048", "shipped, n-tuple TD", 97),
    Bar(
        "2048, the seed's form fixed, over the fixed preference",
        "2048-score",
        "the seed's form with every mend but afterstates",
        1.2,
        over="fixed preference",
    ),
    Bar(
        "Solitaire, A3C: % of seeds whose greedy play ends in the centre",
        "solitaire-a3c",
        "greedy play ends in the centre",
        100,
        take="worst",
    ),
    Bar(
        "Solitaire, A3C: % of sampled games with one peg",
        "solitaire-a3c",
        "sampled games end with one peg",
        95,
        take="worst",
    ),
    *(
        Bar(
            f"Solitaire, shipped: % of positions with {pegs} pegs solved, {name}",
            "solitaire-positions",
            f"{pegs} pegs, {name}",
            bar,
            take="mean",
        )
        for name, bars in (("greedy", (94, 70, 60)), ("beam of 64", (99, 97, 95)))
        for pegs, bar in zip((10, 16, 22), bars, strict=True)
    ),
)
PART = Part("strength", "Strength", TABLES, BARS, spreads=True)
