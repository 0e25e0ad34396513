"""Lesson 2: right answers written differently, and wrong ones with what a check must say."""

SETUP = """
import math
import random
import itertools
import numpy as np
from lib.agents.mcts_nodes import chooser, create_nodes
from lib.games.chopsticks import Chopsticks
"""


def changed(source: str, *changes: tuple[str, str]) -> str:
    """A source with some of its lines replaced; a line that is not there is an error."""
    for old, new in changes:
        assert old in source, old
        source = source.replace(old, new)
    return source


ADD = """
def add_fingers(hands, hand, fingers, rollover):
    total = hands[hand] + fingers
    if total >= 5:
        total = total - 5 if rollover else 0
    return tuple(sorted((total, hands[1 - hand])))
"""

SPLITS = """
def legal_splits(hands):
    total = sum(hands)
    splits = []
    for smaller in range(1, total // 2 + 1):
        if total - smaller <= 4 and (smaller, total - smaller) != tuple(hands):
            splits.append((smaller, total - smaller))
    return splits
"""

UCB1 = """
def ucb1(won, games, parent_games, c):
    bounds = []
    for w, n in zip(won, games):
        if n == 0:
            bounds.append(math.inf)
        else:
            bounds.append(w / n + c * math.sqrt(math.log(parent_games) / n))
    return bounds
"""

SELECT = """
def select(root, c):
    path = [root]
    while path[-1].children and all(path[-1].games) and path[-1] not in path[:-1]:
        node = path[-1]
        bounds = ucb1(node.won, node.games, node.total_num_games, c)
        path.append(node.children[bounds.index(max(bounds))])
    return path
"""

EXPAND = """
def expand(path, choose):
    leaf = path[-1]
    untried = [child for child, n in zip(leaf.children, leaf.games) if n == 0]
    if not untried:
        return path
    return path + [choose(untried)]
"""

PLAYOUT = """
def playout(node, choose, cap=100):
    for turn in range(cap + 1):
        if not node.children:
            return node.result if turn % 2 == 0 else 1 - node.result
        node = choose(node.children)
    return 0.5
"""

BACKPROPAGATE = """
def backpropagate(path, result):
    child = None
    for node in reversed(path):
        node.total_num_games += 1
        node.num_games_won += result
        if child is not None:
            i = node.children.index(child)
            node.games[i] += 1
            node.won[i] += result
        child = node
        result = 1 - result
"""

TABLE = """
def strategy_table(nodes):
    table = {}
    for name, node in nodes.items():
        if node.children:
            best = node.games.index(max(node.games))
            table.setdefault(name[2:4], {})[name[:2]] = node.describe(best)
    return table
"""

VERDICT = """
def verdict(outcomes, start):
    if any(end != "circle" and end[-1] == start[-1] for end in outcomes):
        return "loss"
    return "draw" if "circle" in outcomes else "win"
"""

WALK = """
def all_outcomes(nodes, start):
    found, done = set(), set()

    def walk(state, path):
        if state in path:
            found.add("circle")
            return
        if state in done:
            return
        done.add(state)
        after = nodes.after(state)
        if not after:
            found.add(state)
        elif state[-1] == start[-1]:
            games = nodes[state].games
            after = [after[games.index(max(games))]]
        for following in after:
            walk(following, path + [state])

    walk(start, [])
    return found
"""

ANSWERS = {
    "add_fingers": {
        "right": {
            "as in the lesson": ADD,
            "remainder": """
def add_fingers(hands, hand, fingers, rollover):
    total = hands[hand] + fingers
    total = total % 5 if rollover else total * (total < 5)
    other = hands[1 - hand]
    return (total, other) if total < other else (other, total)
""",
            "a list that is sorted": """
def add_fingers(hands, hand, fingers, rollover):
    hands = list(hands)
    hands[hand] += fingers
    if hands[hand] == 5 or (hands[hand] > 5 and not rollover):
        hands[hand] = 0
    elif hands[hand] > 5:
        hands[hand] -= 5
    return sorted(hands)
""",
        },
        "wrong": {
            "unsorted": (
                changed(
                    ADD,
                    (
                        "tuple(sorted((total, hands[1 - hand])))",
                        "(total, hands[1]) if hand == 0 else (hands[0], total)",
                    ),
                ),
                "the smaller hand comes first",
            ),
            "cut-off only": (changed(ADD, ("total - 5 if rollover else 0", "0")), "wrap round"),
            "roll-over only": (
                changed(ADD, ("total - 5 if rollover else 0", "total - 5")),
                "kill the hand",
            ),
            "exchanged": (changed(ADD, ("if rollover", "if not rollover")), "kill the hand"),
            "five lives": (changed(ADD, (">= 5", "> 5")), "Exactly 5 fingers kill"),
            "replaced": (changed(ADD, ("hands[hand] + fingers", "fingers")), "are *added*"),
            "nothing returned": (changed(ADD, ("return ", "result = ")), "is there a `return`"),
        },
    },
    "legal_splits": {
        "right": {
            "as in the lesson": SPLITS,
            "from all pairs": """
def legal_splits(hands):
    pairs = [(a, b) for a in range(1, 5) for b in range(a, 5)]
    return [pair for pair in pairs if sum(pair) == sum(hands) and pair != tuple(hands)]
""",
            "larger hand counted": """
def legal_splits(hands):
    total = hands[0] + hands[1]
    found = set()
    for larger in range(4, 0, -1):
        smaller = total - larger
        if 0 < smaller <= larger:
            found.add((smaller, larger))
    found.discard(tuple(hands))
    return list(found)
""",
        },
        "wrong": {
            "a hand may be empty": (changed(SPLITS, ("range(1,", "range(0,")), "hand empty"),
            "five fingers": (changed(SPLITS, ("total - smaller <= 4 and ", "")), "more than 4"),
            "no change": (
                changed(SPLITS, (" and (smaller, total - smaller) != tuple(hands)", "")),
                "must change something",
            ),
            "both orders": (
                """
def legal_splits(hands):
    pairs = [(a, b) for a in range(1, 5) for b in range(1, 5)]
    return [p for p in pairs if sum(p) == sum(hands) and tuple(sorted(p)) != tuple(hands)]
""",
                "list each pair once",
            ),
            "dead hands stay dead": (
                changed(
                    SPLITS,
                    (
                        "    total = sum(hands)\n",
                        "    if hands[0] == 0:\n        return []\n    total = sum(hands)\n",
                    ),
                ),
                "come back to life",
            ),
            "equal hands forgotten": (
                changed(SPLITS, ("total // 2 + 1", "(total + 1) // 2")),
                "items",
            ),
        },
    },
    "ucb1": {
        "right": {
            "as in the lesson": UCB1,
            "one line": """
def ucb1(won, games, parent_games, c):
    log = math.log(max(parent_games, 1))
    return [w / n + c * (log / n) ** 0.5 if n else math.inf for w, n in zip(won, games)]
""",
            "with numpy": """
def ucb1(won, games, parent_games, c):
    won, games = np.array(won, float), np.array(games, float)
    with np.errstate(all="ignore"):
        bounds = won / games + c * np.sqrt(np.log(parent_games) / games)
    return np.where(games == 0, np.inf, bounds)
""",
        },
        "wrong": {
            "the child's visits": (changed(UCB1, ("log(parent_games)", "log(n)")), "*parent's*"),
            "games added up": (
                changed(UCB1, ("log(parent_games)", "log(sum(games))")),
                "not the sum",
            ),
            "no root": (
                changed(
                    UCB1, ("math.sqrt(math.log(parent_games) / n)", "math.log(parent_games) / n")
                ),
                "square root is missing",
            ),
            "log outside": (
                changed(
                    UCB1,
                    (
                        "math.sqrt(math.log(parent_games) / n)",
                        "math.log(parent_games) / math.sqrt(n)",
                    ),
                ),
                "under the square root too",
            ),
            "c inside": (
                changed(
                    UCB1,
                    (
                        "c * math.sqrt(math.log(parent_games) / n)",
                        "math.sqrt(c * math.log(parent_games) / n)",
                    ),
                ),
                "in front of the square root",
            ),
            "no c": (changed(UCB1, ("c * math", "math")), "`c` is not used"),
            "untried is worth nothing": (changed(UCB1, ("math.inf", "0.0")), "`math.inf`"),
            "divides by zero": (
                """
def ucb1(won, games, parent_games, c):
    return [w / n + c * math.sqrt(math.log(parent_games) / n) for w, n in zip(won, games)]
""",
                "divided by 0",
            ),
            "wins, not shares": (changed(UCB1, ("w / n + c", "w + c")), "Divide the wins"),
            "log of zero": (
                changed(UCB1, ("    bounds = []", "    bounds, log = [], math.log(parent_games)")),
                "log(0)",
            ),
        },
    },
    "select": {
        "right": {
            "as in the lesson": SELECT,
            "with a set": """
def select(root, c):
    node, path, seen = root, [root], set()
    while node.children and 0 not in node.games and node.name not in seen:
        seen.add(node.name)
        bounds = list(ucb1(node.won, node.games, node.total_num_games, c))
        best = max(range(len(bounds)), key=lambda i: bounds[i])
        node = node.children[best]
        path.append(node)
    return path
""",
            "recursive": """
def select(root, c, path=()):
    path = (*path, root)
    if not root.children or 0 in root.games or root in path[:-1]:
        return list(path)
    bounds = ucb1(root.won, root.games, root.total_num_games, c)
    return select(root.children[bounds.index(max(bounds))], c, path)
""",
        },
        "wrong": {
            "into the untried": (
                changed(SELECT, (" and all(path[-1].games)", "")),
                "It went too far",
            ),
            "one step": (changed(SELECT, ("while ", "if ")), "`while`, not `if`"),
            "the leaf alone": (changed(SELECT, ("return path", "return path[-1]")), "whole way"),
            "without the root": (
                changed(SELECT, ("return path", "return path[1:]")),
                "begins with the root",
            ),
            "the lowest bound": (changed(SELECT, ("max(bounds)", "min(bounds)")), "*highest*"),
            "most games": (
                changed(
                    SELECT, ("ucb1(node.won, node.games, node.total_num_games, c)", "node.games")
                ),
                "not by the number of games",
            ),
            "the root's visits": (
                changed(SELECT, ("node.total_num_games", "root.total_num_games")),
                "not the root's",
            ),
            "round and round": (
                changed(SELECT, (" and path[-1] not in path[:-1]", "")),
                "did not return in time",
            ),
        },
    },
    "expand": {
        "right": {
            "as in the lesson": EXPAND,
            "append": """
def expand(path, choose):
    leaf = path[-1]
    if 0 in leaf.games:
        places = [i for i in range(len(leaf.games)) if leaf.games[i] == 0]
        path.append(leaf.children[choose(places)])
    return path
""",
            "dice of its own": """
def expand(path, choose):
    untried = [c for i, c in enumerate(path[-1].children) if not path[-1].games[i]]
    return [*path, random.choice(untried)] if untried else list(path)
""",
        },
        "wrong": {
            "any child": (changed(EXPAND, (" if n == 0", "")), "choose a child with 0 games"),
            "always the first": (
                changed(EXPAND, ("choose(untried)", "untried[0]")),
                "let `choose` pick one",
            ),
            "the child alone": (
                changed(EXPAND, ("return path + [choose(untried)]", "return choose(untried)")),
                "a list of nodes, is expected",
            ),
            "all of them": (changed(EXPAND, ("[choose(untried)]", "untried")), "one node more"),
            "nothing returned": (
                changed(
                    EXPAND,
                    ("    return path + [choose(untried)]", "    path.append(choose(untried))"),
                ),
                "It returned None",
            ),
            "crashes at the end": (
                changed(EXPAND, ("    if not untried:\n        return path\n", "")),
                "IndexError",
            ),
            "untried nodes, not moves": (
                changed(EXPAND, ("if n == 0", "if child.total_num_games == 0")),
                "choose a child with 0 games",
            ),
            "in front": (
                changed(EXPAND, ("path + [choose(untried)]", "[choose(untried)] + path")),
                "one node more",
            ),
        },
    },
    "playout": {
        "right": {
            "as in the lesson": PLAYOUT,
            "while": """
def playout(node, choose, cap=100):
    moves = 0
    while node.children and moves < cap:
        node = choose(node.children)
        moves += 1
    if node.children:
        return 0.5
    return 0 if moves % 2 == 0 else 1
""",
            "recursive": """
def playout(node, choose, cap=100):
    if not node.children:
        return node.result
    if cap == 0:
        return 0.5
    return 1 - playout(choose(node.children), choose, cap - 1)
""",
            "ends one move earlier": """
def playout(node, choose, cap=100):
    view = True
    for _ in range(cap):
        if not node.children:
            return node.result if view else 1 - node.result
        node, view = choose(node.children), not view
    return 0.5
""",
        },
        "wrong": {
            "the last player's view": (
                changed(PLAYOUT, (" if turn % 2 == 0 else 1 - node.result", "")),
                "is expected",
            ),
            "the other's view": (
                changed(PLAYOUT, ("turn % 2 == 0", "turn % 2 == 1")),
                "who would move has lost",
            ),
            "no cap": (changed(PLAYOUT, ("range(cap + 1)", "range(10**9)")), "that is a draw"),
            "the cap is a loss": (changed(PLAYOUT, ("return 0.5", "return 0")), "that is a draw"),
            "no return at the cap": (
                changed(PLAYOUT, ("    return 0.5\n", "")),
                "is there a `return` for every end",
            ),
            "plus and minus one": (
                changed(
                    PLAYOUT,
                    (
                        "return node.result if turn % 2 == 0 else 1 - node.result",
                        "return -1 if turn % 2 == 0 else 1",
                    ),
                ),
                "0 is expected, got -1",
            ),
            "no chance": (
                changed(PLAYOUT, ("choose(node.children)", "node.children[0]")),
                "drawn by `choose`",
            ),
            "one move": (
                """
def playout(node, choose, cap=100):
    if not node.children:
        return 0.0
    return 0.5 if choose(node.children).children else 1.0
""",
                "drawn by `choose`",
            ),
        },
    },
    "backpropagate": {
        "right": {
            "as in the lesson": BACKPROPAGATE,
            "pairs": """
def backpropagate(path, result):
    if len(path) % 2 == 0:
        result = 1 - result
    for depth, node in enumerate(path):
        node.total_num_games += 1
        node.num_games_won += result
        if depth + 1 < len(path):
            i = node.children.index(path[depth + 1])
            node.games[i] += 1
            node.won[i] += result
        result = 1 - result
""",
            "two loops": """
def backpropagate(path, result):
    results = [result if (len(path) - 1 - i) % 2 == 0 else 1 - result for i in range(len(path))]
    for node, r in zip(path, results):
        node.total_num_games = node.total_num_games + 1
        node.num_games_won = node.num_games_won + r
    for (parent, child), r in zip(itertools.pairwise(path), results):
        for i, other in enumerate(parent.children):
            if other is child:
                parent.games[i] += 1
                parent.won[i] += r
    return None
""",
        },
        "wrong": {
            "one view": (
                changed(BACKPROPAGATE, ("        result = 1 - result\n", "")),
                "the result of the same player",
            ),
            "from the root": (
                """
def backpropagate(path, result):
    for node, child in zip(path, path[1:] + [None]):
        node.total_num_games += 1
        node.num_games_won += result
        if child is not None:
            i = node.children.index(child)
            node.games[i] += 1
            node.won[i] += result
        result = 1 - result
""",
                "`reversed(path)`",
            ),
            "nodes only": (
                changed(
                    BACKPROPAGATE,
                    ("            node.games[i] += 1\n", ""),
                    ("            node.won[i] += result\n", ""),
                ),
                "but not their moves",
            ),
            "moves only": (
                changed(
                    BACKPROPAGATE,
                    ("        node.total_num_games += 1\n", ""),
                    ("        node.num_games_won += result\n", ""),
                ),
                "but not the nodes",
            ),
            "the child's wins": (
                changed(BACKPROPAGATE, ("node.won[i] += result", "node.won[i] += 1 - result")),
                "belong to who makes it",
            ),
            "not the leaf": (
                changed(
                    BACKPROPAGATE,
                    (
                        "        node.total_num_games += 1\n",
                        "        node.total_num_games += node is not path[-1]\n",
                    ),
                    (
                        "        node.num_games_won += result\n",
                        "        node.num_games_won += result * (node is not path[-1])\n",
                    ),
                ),
                "has been visited too",
            ),
            "a minus": (
                changed(BACKPROPAGATE, ("result = 1 - result", "result = -result")),
                "are not right",
            ),
            "overwrites": (
                changed(BACKPROPAGATE, ("node.total_num_games += 1", "node.total_num_games = 1")),
                "are not right",
            ),
        },
    },
    "strategy_table": {
        "right": {
            "as in the lesson": TABLE,
            "defaultdict": """
from collections import defaultdict

def strategy_table(nodes):
    table = defaultdict(dict)
    for node in nodes.values():
        if node.children:
            (a, b), (c, d) = node.state.own, node.state.other
            best = max(range(len(node.games)), key=node.games.__getitem__)
            table[f"{c}{d}"][f"{a}{b}"] = node.describe(best)
    return table
""",
            "comprehension": """
def strategy_table(nodes):
    open_ = {name: node for name, node in nodes.items() if node.games}
    rows = {name[2:4] for name in open_}
    return {row: {name[:2]: node.describe(node.best) for name, node in open_.items()
                  if name[2:4] == row} for row in rows}
""",
        },
        "wrong": {
            "turned": (
                changed(
                    TABLE,
                    ("setdefault(name[2:4], {})[name[:2]]", "setdefault(name[:2], {})[name[2:4]]"),
                ),
                "are exchanged",
            ),
            "most wins": (
                changed(
                    TABLE, ("node.games.index(max(node.games))", "node.won.index(max(node.won))")
                ),
                "the most wins",
            ),
            "best share": (
                changed(
                    TABLE,
                    (
                        "node.games.index(max(node.games))",
                        "max(range(len(node.games)), key=lambda i: node.won[i] / node.games[i])",
                    ),
                ),
                "best share of wins",
            ),
            "fewest": (changed(TABLE, ("max(node.games)", "min(node.games)")), "fewest games"),
            "ends too": (
                changed(TABLE, ("        if node.children:\n", "        if True:\n")),
                "have no children",
            ),
            "places, not words": (changed(TABLE, ("node.describe(best)", "best")), ""),
        },
    },
    "outcomes": {
        "right": {
            "as in the lesson": WALK + VERDICT,
            "without recursion": """
def all_outcomes(nodes, start):
    edges, queue = {}, [start]
    while queue:
        state = queue.pop()
        if state not in edges:
            after = nodes.after(state)
            if after and state[-1] == start[-1]:
                after = [after[nodes[state].best]]
            edges[state] = after
            queue.extend(after)
    found = {state for state in edges if not edges[state]}
    left = set(edges)
    while True:
        ended = {state for state in left if not left & set(edges[state])}
        if not ended:
            return found | {"circle"} if left else found
        left -= ended
"""
            + VERDICT,
            "results by name": WALK
            + """
def verdict(outcomes, start):
    worst = 2
    for end in outcomes:
        worth = 1 if end == "circle" else 2 if end[-1] != start[-1] else 0
        worst = min(worst, worth)
    return ["loss", "draw", "win"][worst]
""",
        },
        "wrong": {
            "circles unseen": (
                changed(WALK, ('            found.add("circle")\n', "")) + VERDICT,
                'the outcome "circle"',
            ),
            "two lines, one state": (
                changed(
                    WALK,
                    (
                        "        if state in done:\n            return\n",
                        "        if state in done:\n            return found.add('circle')\n",
                    ),
                )
                + VERDICT,
                "is no circle",
            ),
            "anyone plays anything": (
                changed(WALK, ("state[-1] == start[-1]", "False")) + VERDICT,
                "can't come about",
            ),
            "both play their best": (
                changed(WALK, ("elif state[-1] == start[-1]:", "else:")) + VERDICT,
                "may make every move",
            ),
            "the computer is always C": (
                changed(WALK, ("state[-1] == start[-1]", 'state[-1] == "C"')) + VERDICT,
                "",
            ),
            "who has won": (
                WALK + changed(VERDICT, ("end[-1] == start[-1]", "end[-1] != start[-1]")),
                "who has no finger left",
            ),
            "a circle is no draw": (
                WALK + changed(VERDICT, ('"draw" if "circle" in outcomes else "win"', '"win"')),
                'the verdict is "draw"',
            ),
            "all ends must be lost": (
                WALK + changed(VERDICT, ('any(end != "circle" and', 'all(end != "circle" and')),
                "One lost end is enough",
            ),
        },
    },
}
