"""A tournament as one HTML page that needs nothing else: tables, and a game of every entry."""

import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lib.boards import Watch
from lib.boards.palette import DARK, LIGHT
from lib.files import write_text

if TYPE_CHECKING:
    from lib.grading.tournament import Cup

MOST = 120  # turns of a game that are shown; of a longer one, evenly chosen
Frame = tuple[str, str]  # a turn in words, and as a picture (SVG)


def frames(watch: Watch) -> list[Frame]:
    """The turns of a recorded game."""
    last = len(watch.session.moves)
    found = []
    for turn in np.unique(np.linspace(0, last, min(last + 1, MOST)).round().astype(int)):
        watch.show_turn(int(turn))
        found.append((str(watch.view["say"]), watch.drawing().svg()))
    return found


def page(
    cups: Sequence["Cup"],
    replays: Mapping[tuple[str, str], tuple[str, list[Frame]]],
    problems: Mapping[str, str],
) -> str:
    """The page; `replays` are by game and entry."""
    entered = sum(len(cup.entries) for cup in cups)
    parts = [HEAD, f"<p>{entered} entries. {EXPLAINED}</p>"]
    for cup in cups:
        parts.append(f"<h2>{html.escape(cup.game.title)}</h2>{_table(cup)}")
        parts += [_replay(*replays[cup.game.name, name]) for name in cup.entries]
    if problems:
        listed = "".join(
            f"<li><b>{html.escape(name)}</b>: {html.escape(why)}</li>"
            for name, why in problems.items()
        )
        parts.append(f"<h2>Not in the tournament</h2><ul>{listed}</ul>")
    return "\n".join([*parts, SCRIPT, "</body></html>\n"])


def write(path: Path, *shown: Any) -> Path:
    """Write the page of what is shown, whole or not at all."""
    return write_text(path, page(*shown))


def _table(cup: "Cup") -> str:
    rows = [f"<tr>{''.join(f'<th>{name}</th>' for name in cup.table.headings)}</tr>"]
    for row in cup.table.rows():
        ours = " class='entry'" if row[1] in cup.entries else ""
        rows.append(f"<tr{ours}>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>")
    each = "each agent" if cup.game.n_players == 1 else "each pair"
    return f"<table>{''.join(rows)}</table><p class='small'>{cup.games} games of {each}.</p>"


def _replay(title: str, shown: list[Frame]) -> str:
    if not shown:
        return f"<p>{html.escape(title)}</p>"
    data = json.dumps(shown).replace("</", "<\\/")
    slider = f"<input type='range' min='0' max='{len(shown) - 1}' value='0' aria-label='turn'>"
    return (
        f"<details class='replay'><summary>{html.escape(title)}</summary>{slider}"
        "<p class='words' aria-live='polite'></p><div class='stage'></div>"
        f"<script type='application/json'>{data}</script></details>"
    )


def _dark() -> str:
    """The drawings in the dark theme: each light colour gives way to its dark one."""
    swaps = {LIGHT[role]: DARK[role] for role in LIGHT if role != "paper"}
    rules = [".stage [width='100%'] { fill: transparent }"]
    for light, dark in swaps.items():
        if light != dark:
            rules += [f".stage [{part}='{light}'] {{ {part}: {dark} }}" for part in PARTS]
    return "\n".join(rules)


PARTS = ("fill", "stroke")
EXPLAINED = (
    "In games of two, seats are swapped, a win counts 1 and a draw one half; in games of one the "
    "score is the mean of all games. Entries are in bold. The last column asks the exact solution, "
    "where there is one, how far from perfect an agent is."
)
HEAD = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tournament</title>
<meta name="viewport" content="width=device-width">
<style>
:root {{ color-scheme: light dark }}
body {{ font-family: system-ui, sans-serif; max-width: 66em; margin: 2em auto; padding: 0 1em }}
table {{ border-collapse: collapse }}
td, th {{ padding: .3em .8em; text-align: left; border-bottom: 1px solid #8886 }}
td:not(:last-child) {{ white-space: nowrap }}
td:nth-child(n+3):nth-child(-n+6), th:nth-child(n+3):nth-child(-n+6) {{ text-align: right }}
.entry td:nth-child(2) {{ font-weight: 600 }}
.small {{ font-size: .9em; opacity: .8; margin: .5em 0 }}
details {{ margin: .6em 0 }}
input {{ width: min(30em, 100%); margin-top: .8em }}
.stage svg {{ max-width: 30em }}
@media (prefers-color-scheme: dark) {{
{_dark()}
}}
</style></head><body><h1>Tournament</h1>"""
SCRIPT = """<script>
for (const replay of document.querySelectorAll(".replay")) {
  const frames = JSON.parse(replay.querySelector("script").textContent);
  const slider = replay.querySelector("input");
  const show = () => {
    const [words, picture] = frames[slider.value];
    replay.querySelector(".words").textContent = words;
    replay.querySelector(".stage").innerHTML = picture;
  };
  slider.addEventListener("input", show);
  replay.addEventListener("toggle", show);
}
</script>"""
