"""The course's own answers to lesson 1: what a check compares with and a lesson goes on with.

A position is seen by who moves: ((own left, own right), (other's left, other's right)). After a
move it is the other player's turn, so her hands come first.
"""

from collections.abc import Callable

import numpy as np

from lib.agents.tables import Moves, Table, new_table

Pair = tuple[int, int]
Position = tuple[Pair, Pair]
Action = tuple[int, int, int]


def tap(position: Position, tapping: int, tapped: int) -> Position:
    """The position after a tap, seen by the other player."""
    own, other = position
    hands = list(other)
    hands[tapped] += own[tapping]
    if hands[tapped] >= 5:
        hands[tapped] = 0
    return (hands[0], hands[1]), own


def legal_actions(position: Position) -> list[Action]:
    """All taps (0, tapping, tapped) and swaps (1, giving, n) that the rules allow."""
    own, other = position
    actions = [(0, i, j) for i in (0, 1) for j in (0, 1) if own[i] and other[j]]
    for giving in (0, 1):
        for n in range(1, own[giving] + 1):
            left_over, filled = own[giving] - n, own[1 - giving] + n
            if filled <= 4 and left_over != own[1 - giving]:
                actions.append((1, giving, n))
    return actions


def encode(action: Action) -> int:
    """The number of an action: taps are 0 to 3, swaps 4 to 9."""
    kind, hand, n = action
    return 2 * hand + n if kind == 0 else 4 + 3 * hand + n - 1


def decode(number: int) -> Action:
    """The action of a number."""
    if number < 4:
        return (0, number // 2, number % 2)
    return (1, (number - 4) // 3, (number - 4) % 3 + 1)


def epsilon_greedy(
    values: np.ndarray, legal: list[int], epsilon: float, rng: np.random.Generator
) -> int:
    """A random legal action with probability epsilon, else a best legal one; ties at random."""
    if rng.random() < epsilon:
        return int(rng.choice(legal))
    best = max(values[a] for a in legal)
    return int(rng.choice([a for a in legal if values[a] == best]))


def q_update(
    Q: Table,
    s: Position,
    a: int,
    reward: float,
    next_s: Position,
    next_legal: list[int],
    alpha: float,
    gamma: float,
) -> None:
    """Move Q[s][a] a step of alpha towards reward + gamma * (best legal value next)."""
    target = reward
    if next_legal:
        target = reward + gamma * max(Q[next_s][b] for b in next_legal)
    Q[s][a] += alpha * (target - Q[s][a])


def episode(
    Q: Table,
    moves: Moves,
    start: Position,
    opponent: Callable[[Position], int],
    epsilon: float,
    alpha: float,
    gamma: float,
    rng: np.random.Generator,
) -> int:
    """Play and learn one game: 1 if won, -1 if lost, 0 if cut off after 200 own moves."""
    s = start
    for _ in range(200):
        a = epsilon_greedy(Q[s], list(moves[s]), epsilon, rng)
        theirs = moves[s][a]
        if not moves[theirs]:
            q_update(Q, s, a, 1, theirs, [], alpha, gamma)
            return 1
        next_s = moves[theirs][opponent(theirs)]
        reward = 0 if moves[next_s] else -1
        q_update(Q, s, a, reward, next_s, list(moves[next_s]), alpha, gamma)
        if reward:
            return reward
        s = next_s
    return 0


def train(moves: Moves, start: Position, rng: np.random.Generator) -> Table:
    """A table learned against a random opponent, who begins every other game."""
    Q = new_table(moves)

    def opponent(s: Position) -> int:
        return int(rng.choice(list(moves[s])))

    for game in range(5000):
        first = start if game % 2 == 0 else moves[start][opponent(start)]
        episode(Q, moves, first, opponent, epsilon=0.6, alpha=0.3, gamma=1.0, rng=rng)
    return Q


def self_play(
    moves: Moves,
    start: Position,
    games: int,
    epsilon: float,
    alpha: float,
    gamma: float,
    rng: np.random.Generator,
) -> Table:
    """A table learned by playing both sides: what is good for the other is bad for me."""
    Q = new_table(moves)
    for _ in range(games):
        s = start
        for _ in range(200):
            a = epsilon_greedy(Q[s], list(moves[s]), epsilon, rng)
            next_s = moves[s][a]
            reward = 0 if moves[next_s] else 1
            q_update(Q, s, a, reward, next_s, list(moves[next_s]), alpha, -gamma)
            if reward:
                break
            s = next_s
    return Q
