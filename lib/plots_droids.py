"""The figures of lesson 3: who beats whom, who can be exploited, and what depth costs."""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from lib.agents.droid_agents import DroidAgent, fight
from lib.agents.droid_policies import TableAgent, shares_of
from lib.agents.droid_roster import Standing
from lib.agents.minimax import MinimaxAgent
from lib.arena_results import Table
from lib.boards.figure import INK, SERIES, Picture, heat, picture
from lib.games.droids import ACTIONS, Action, Droids, R2Droid

SHOOT = ACTIONS.index(Action.SHOOT)


def win_matrix(table: Table) -> Picture:
    """A tournament: the share of games that each row won against each column, ± half of 95 %."""
    shares = np.full((len(table.names), len(table.names)), np.nan)
    words: dict[tuple[int, int], str] = {}
    for i, one in enumerate(table.names):
        for j, other in enumerate(table.names):
            if one != other:
                result = table.pairs[one, other]
                low, high = result.win_interval
                shares[i, j] = result.win_rate
                words[i, j] = f"{result.win_rate:.0%}\n±{(high - low) / 2:.0%}"
    labels = [name.replace(" ", "\n") for name in table.names]
    figure, axes = picture("games won by the row", 1.6 + 0.8 * len(labels), 1 + 0.55 * len(labels))
    heat(shares, labels, labels, words=lambda i, j: words[i, j], limit=1.0, axes=axes)
    axes.set_ylabel("wins against the column", color=INK)
    return figure


def two_columns(rows: Iterable[Standing]) -> Picture:
    """Games won against random play, and what the best response to the agent wins of it."""
    rows = list(rows)
    figure, axes = picture("two columns", 9, 0.9 + 0.36 * len(rows), 1, 2)
    names = [row.name for row in rows][::-1]
    columns = {
        "won against random play": [row.won for row in rows],
        "exploitability: lost to who knows it": [row.exploitability for row in rows],
    }
    for one, (title, values), colour in zip(axes.flat, columns.items(), SERIES, strict=False):
        drawn = one.barh(names, values[::-1], color=colour)
        one.bar_label(drawn, [f"{v:.1%}" for v in values[::-1]], padding=3, color=INK, fontsize=9)
        one.set_title(title, fontsize=10)
        one.set_xlim(0, 1.18)
    axes.flat[1].set_yticklabels([])
    return figure


def by_depth(
    opponent: DroidAgent, kinds: Sequence[str] = ("pessimistic", "combined"), games: int = 200
) -> dict[str, list[tuple[int, float, float, float]]]:
    """Depth, share won, half of its 95 % interval, and seconds a move, for each assumption."""
    foe, found = TableAgent(shares_of(opponent), seed=1), {}
    for kind in kinds:
        found[kind] = [_measured(MinimaxAgent(kind, depth), foe, games) for depth in (1, 2, 3)]
    return found


def _measured(agent: MinimaxAgent, foe: DroidAgent, games: int) -> tuple[int, float, float, float]:
    """The games are played from the agent's table; the time is that of its search."""
    player = TableAgent(shares_of(agent), seed=2)
    won = np.mean([sum(fight(player, foe, swapped=k % 2 == 1)) > 0 for k in range(games)])
    places = [((2, 0), (2, 3)), ((1, 1), (2, 2)), ((0, 0), (3, 2)), ((3, 3), (1, 3))]
    began = time.process_time()
    for own, other in places:
        agent.best_moves(R2Droid(4, 4, own, 4), R2Droid(4, 4, other, 4))
    half = 1.96 * float(np.sqrt(won * (1 - won) / games))
    return agent.depth, float(won), half, (time.process_time() - began) / len(places)


def depth_figure(measured: Mapping[str, Sequence[tuple[int, float, float, float]]]) -> Picture:
    """Strength and time against the depth of search."""
    figure, axes = picture("depth against strength and time", 9, 3.2, 1, 2)
    for (name, rows), colour, mark in zip(measured.items(), SERIES, "os^", strict=False):
        depth, won, half, seconds = np.array(rows).T
        axes.flat[0].errorbar(depth, won, half, color=colour, marker=mark, capsize=4, label=name)
        axes.flat[1].plot(depth, 1000 * seconds, color=colour, marker=mark, label=name)
    axes.flat[0].set(title="games won against the frozen agent", ylim=(0, 1.05))
    axes.flat[1].set(title="milliseconds a move", yscale="log")
    axes.flat[1].yaxis.set_major_formatter("{x:g}")
    for one in axes.flat:
        _finish(one)
    return figure


def _finish(axes: Any) -> None:
    axes.set_xticks([1, 2, 3])
    axes.set_xlabel("rounds searched", color=INK)
    axes.legend(frameon=False, fontsize=9)


def duel(game: Droids, players: Mapping[str, DroidAgent], seed: int = 0) -> Any:
    """Two agents, by name, on the board: all rounds to step through, shown at the first shot."""
    from lib.agents.droid_agents import DroidPlayer
    from lib.boards import Watch

    watch = Watch(game, agents=tuple(DroidPlayer(a, n) for n, a in players.items()), seed=seed)
    shots = [turn for turn, moves in enumerate(watch.finish().moves, start=1) if SHOOT in moves]
    watch.show_turn(shots[0] if shots else 0)
    return watch
