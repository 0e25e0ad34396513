"""What the arena found: results of matches, scores of one-player games, tournament tables."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

Z = 1.959964  # 95 % of a normal distribution lies within this many standard deviations


@dataclass(frozen=True)
class Played:
    """One finished game as plain data, players in the order of the match."""

    outcomes: tuple[float, ...]
    scores: tuple[float, ...]
    turns: int
    truncated: bool
    final: str  # the last state, as the game writes it


def wilson(successes: float, n: int, z: float = Z) -> tuple[float, float]:
    """Wilson's 95 % interval of a rate: wilson(8, 10) -> (0.490, 0.943)."""
    if not 0 <= successes <= n or n < 1:
        raise ValueError(f"{successes} successes of {n}: give 0 to n of at least 1")
    rate = successes / n
    middle = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True)
class Result:
    """A match from the first agent's side."""

    wins: int
    draws: int
    losses: int
    truncated: int = 0  # those of the draws that the turn limit made
    as_first: tuple[int, int, int] = (0, 0, 0)  # wins, draws, losses where it was player 0
    as_second: tuple[int, int, int] = (0, 0, 0)
    lead: float = 0.0  # its points minus the opponent's, mean of all games

    @classmethod
    def of(cls, games: Sequence[Played]) -> "Result":
        """Count the games of a match, in order: in the odd ones the seats were swapped."""
        first, second = _count(games[::2]), _count(games[1::2])
        wins, draws, losses = (a + b for a, b in zip(first, second, strict=True))
        lead = float(np.mean([game.scores[0] - game.scores[1] for game in games]))
        cut = sum(game.truncated for game in games)
        return cls(wins, draws, losses, cut, first, second, lead)

    @property
    def games(self) -> int:
        """How many games were played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The mean of 1 for a win, 1/2 for a draw and 0 for a loss."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of `score`; on the safe side where there are draws."""
        return wilson(self.wins + self.draws / 2, self.games)

    @property
    def win_rate(self) -> float:
        """The share of games won."""
        return self.wins / self.games

    @property
    def win_interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of `win_rate`."""
        return wilson(self.wins, self.games)

    def reversed(self) -> "Result":
        """The same match from the other side."""
        return Result(
            wins=self.losses,
            draws=self.draws,
            losses=self.wins,
            truncated=self.truncated,
            as_first=(self.as_second[2], self.as_second[1], self.as_second[0]),
            as_second=(self.as_first[2], self.as_first[1], self.as_first[0]),
            lead=-self.lead,
        )

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.wins} won, {self.draws} drawn, {self.losses} lost: "
            f"score {self.score:.1%} (95 %: {low:.1%} to {high:.1%})"
        )


def _count(games: Sequence[Played]) -> tuple[int, int, int]:
    """(wins, draws, losses) of the first agent."""
    signs = [game.outcomes[0] for game in games]
    return sum(s > 0 for s in signs), sum(s == 0 for s in signs), sum(s < 0 for s in signs)


@dataclass(frozen=True)
class Scores:
    """Many games of a one-player game; one entry per game in each tuple."""

    scores: tuple[float, ...]
    outcomes: tuple[float, ...]
    turns: tuple[int, ...]
    finals: tuple[str, ...]  # last states: `game.read(line)` gives them back
    truncated: int

    @classmethod
    def of(cls, games: Sequence[Played]) -> "Scores":
        """Collect what the games gave."""
        return cls(
            scores=tuple(game.scores[0] for game in games),
            outcomes=tuple(game.outcomes[0] for game in games),
            turns=tuple(game.turns for game in games),
            finals=tuple(game.final for game in games),
            truncated=sum(game.truncated for game in games),
        )

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.scores)

    @property
    def mean(self) -> float:
        """The mean score."""
        return float(np.mean(self.scores))

    @property
    def standard_error(self) -> float:
        """The standard error of `mean`: nan for a single game."""
        return (
            float(np.std(self.scores, ddof=1) / math.sqrt(self.games))
            if self.games > 1
            else math.nan
        )

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of `mean`."""
        return self.mean - Z * self.standard_error, self.mean + Z * self.standard_error

    @property
    def wins(self) -> int:
        """How many games were won (2048 reached, one peg left)."""
        return sum(outcome > 0 for outcome in self.outcomes)

    @property
    def win_rate(self) -> float:
        """The share of games won."""
        return self.wins / self.games

    @property
    def win_interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of `win_rate`."""
        return wilson(self.wins, self.games)

    def __str__(self) -> str:
        return (
            f"mean score {self.mean:,.1f} ± {self.standard_error:,.1f} (standard error) "
            f"in {self.games} games, {self.wins} won"
        )


@dataclass(frozen=True)
class Standing:
    """One agent's line of a table."""

    name: str
    wins: int
    draws: int
    losses: int
    score: float  # 0 to 1 against others; the mean score of a one-player game
    interval: tuple[float, float]


@dataclass(frozen=True)
class Table:
    """A tournament: the lines, best first, and the match of every ordered pair of names."""

    lines: tuple[Standing, ...]
    pairs: Mapping[tuple[str, str], Result]
    scores: Mapping[str, Scores]  # of a one-player game

    @property
    def names(self) -> tuple[str, ...]:
        """The agents, best first."""
        return tuple(line.name for line in self.lines)

    def matrix(self) -> np.ndarray:
        """`score` of the agent of each row against that of each column, best first; nan inside."""
        pairs = [[self.pairs.get((a, b)) for b in self.names] for a in self.names]
        return np.array([[p.score if p else math.nan for p in row] for row in pairs])

    def rows(self) -> list[tuple[str, ...]]:
        """The table as words: place, name, won, drawn, lost, score, interval."""
        form = "{:,.1f}" if self.scores else "{:.1%}"
        return [
            (str(place), e.name, str(e.wins), str(e.draws), str(e.losses), form.format(e.score),
             " to ".join(form.format(end) for end in e.interval))
            for place, e in enumerate(self.lines, start=1)
        ]  # fmt: skip

    def __str__(self) -> str:
        rows = [HEADINGS, *self.rows()]
        widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
        lines = ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) for r in rows]
        return "\n".join(line.rstrip() for line in lines)

    def _repr_markdown_(self) -> str:
        rows = [HEADINGS, ("---:", "---", "---:", "---:", "---:", "---:", "---"), *self.rows()]
        return "\n".join("| " + " | ".join(row) + " |" for row in rows)


HEADINGS = ("", "agent", "won", "drawn", "lost", "score", "95 % interval")


def standings(names: tuple[str, ...], games: Mapping[tuple[str, ...], Sequence[Played]]) -> Table:
    """The table of a tournament from the games of each pair (or of each single agent)."""
    if all(len(who) == 1 for who in games):
        scores = {who[0]: Scores.of(played) for who, played in games.items()}
        lines = [_solo(name, scores[name]) for name in names]
        return Table(_best_first(lines), {}, scores)
    pairs: dict[tuple[str, str], Result] = {}
    for (a, b), played in games.items():
        pairs[a, b] = Result.of(played)
        pairs[b, a] = pairs[a, b].reversed()
    lines = [_total(a, [pairs[a, b] for b in names if b != a]) for a in names]
    return Table(_best_first(lines), pairs, {})


def _best_first(lines: list[Standing]) -> tuple[Standing, ...]:
    return tuple(sorted(lines, key=lambda line: -line.score))


def _solo(name: str, scores: Scores) -> Standing:
    """The line of an agent that played alone."""
    lost = sum(outcome < 0 for outcome in scores.outcomes)
    drawn = scores.games - scores.wins - lost
    return Standing(name, scores.wins, drawn, lost, scores.mean, scores.interval)


def _total(name: str, results: list[Result]) -> Standing:
    """The line of an agent from all its matches."""
    wins, draws, losses = (
        sum(getattr(result, part) for result in results) for part in ("wins", "draws", "losses")
    )
    whole = Result(wins, draws, losses)
    return Standing(name, wins, draws, losses, whole.score, whole.interval)
