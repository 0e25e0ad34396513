"""Players that learn nothing: what every learner is measured against."""

from collections.abc import Callable, Sequence
from typing import Any

from lib.game import Agent, Game


class Random(Agent):
    """Any legal move, each as likely as the next."""

    name = "random"

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        legal = game.legal(state, player)
        return legal[int(self.rng.random() * len(legal))]


class Greedy(Agent):
    """The move that gains most at once: a win, else the best score; ties at random.

    Where both move at once it takes the mean over what the other might do.
    """

    name = "greedy"

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        legal = game.legal(state, player)
        gains = [self._gain(game, state, player, action) for action in legal]
        best = [a for a, gain in zip(legal, gains, strict=True) if gain == max(gains)]
        return best[self.rng.integers(len(best))]

    def _gain(self, game: Game[Any], state: Any, player: int, action: int) -> float:
        movers = game.movers(state)
        others = [p for p in movers if p != player]
        replies = game.legal(state, others[0]) if others else [action]
        total = 0.0
        for reply in replies:
            after = game.play(state, tuple(action if p == player else reply for p in movers))
            total += 1000 * game.outcome(after)[player] + game.score(after)[player]
        return total / len(replies)


class Preference(Agent):
    """The first legal action of a fixed order; in 2048: down, else left, else right, else up."""

    name = "preference"

    def __init__(self, order: Sequence[int] = (1, 2, 3, 0)) -> None:
        super().__init__()
        self.order = tuple(order)

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        legal = game.legal(state, player)
        for action in self.order:
            if action in legal:
                return action
        raise ValueError(f"none of {self.order} is legal in {game.write(state)}: legal is {legal}")


class ShootIfAligned(Agent):
    """A droid that shoots whenever the other stands in its row or column; else a random step."""

    name = "aligned"

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        shot, legal = game.n_actions - 1, game.legal(state, player)
        (row, column), (other_row, other_column) = state.locations
        if shot in legal and (row == other_row or column == other_column):
            return shot
        steps = [action for action in legal if action != shot]
        return steps[int(self.rng.random() * len(steps))]


class Mixture(Agent):
    """Plays as `strong`, except for a share of moves that `weak` chooses."""

    def __init__(self, strong: Agent, weak: Agent, share: float, name: str | None = None) -> None:
        super().__init__()
        if not 0 <= share <= 1:
            raise ValueError(f"a share of weak moves lies between 0 and 1, not {share}")
        self.strong, self.weak, self.share = strong, weak, share
        self.name = name or f"{strong.name} with {share:.0%} {weak.name}"

    def begin(self, rng: Any) -> None:
        self.rng, *dice = rng.spawn(3)
        for agent, own in zip((self.strong, self.weak), dice, strict=True):
            agent.begin(own)

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        chosen = self.weak if self.rng.random() < self.share else self.strong
        return chosen.act(game, state, player)


class Human(Agent):
    """Asks `ask(game, state, player)` for a move: the keyboard in a terminal, a test's script."""

    name = "human"

    def __init__(self, ask: Callable[[Game[Any], Any, int], int]) -> None:
        super().__init__()
        self.ask = ask

    def act(self, game: Game[Any], state: Any, player: int) -> int:
        while (action := self.ask(game, state, player)) not in game.legal(state, player):
            pass
        return action
