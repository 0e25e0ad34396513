"""Pages: what each student reads about an answer, and what an instructor reads about a class."""

import hashlib
import html
import re
from collections.abc import Sequence
from typing import Any

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48em; margin: 2em auto; padding: 0 1em;
       color: #222; background: #fff }
h2 { margin-top: 1.8em } h3 { margin: 1.4em 0 .2em }
table { border-collapse: collapse; width: 100% } td, th { text-align: left; vertical-align: top;
       padding: .3em .6em; border-bottom: 1px solid #ddd } .n { text-align: right }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font-size: 14px }
code { background: #f0f0f0; padding: .1em .3em; border-radius: 3px }
.right { color: #2e7d32 } .wrong { color: #b23c00 }
.bar { background: #3b6ea5; height: 1em } .all { background: #e4e8ee } .all .bar { height: .5em }
.case { border-left: 3px solid #b23c00; padding: 0 0 .2em 1em; margin: .8em 0 }
.case.done { border-color: #2e7d32 } .case p { margin: .1em 0 }
.case table { background: #f6f6f6; margin-top: .4em } .case th { width: 5em; font-weight: normal }
.highlight-red, .highlight-green { background: #f3d27a; color: #222 }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd }
       .case table, code { background: #262626 } td, th { border-color: #444 }
       .right { color: #7cc67f } .wrong { color: #ff9a62 } .bar { background: #6fa3da }
       .all { background: #333 } .case { border-color: #ff9a62 }
       .case.done { border-color: #7cc67f } a { color: #8ab8e6 } }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def slug(name: str) -> str:
    """A file name for any student: "ada" -> "ada-1f2e3d4c", safe on every system, never shared."""
    digest = hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest()[:8]
    plain = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:40]
    return f"{plain}-{digest}" if plain else digest


def page(title: str, body: str) -> str:
    """A whole page; nothing in it can run or load anything."""
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width'>"
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head>"
        f"<body><h1>{html.escape(title)}</h1>{body}</body></html>\n"
    )


def student_page(name: str, lessons: Sequence[dict[str, Any]]) -> str:
    """All that one student needs to know: points, the first failing case, and the next step."""
    return page(f"Feedback for {name}", "".join(map(_lesson, lessons)))


def _lesson(row: dict[str, Any]) -> str:
    head = f"<h2>{html.escape(row['title'])}: {row['points']:g} of {row['out_of']:g} points</h2>"
    share = 100 * row["points"] / row["out_of"] if row["out_of"] else 0.0
    bar = f"<div class='all'><div class='bar' style='width:{share:.0f}%'></div></div>"
    notes = "".join(f"<p>{html.escape(note)}</p>" for note in row["notes"])
    return head + bar + notes + "".join(map(_exercise, row["exercises"]))


def _exercise(row: dict[str, Any]) -> str:
    colour = "right" if row["points"] >= row["enough"] * row["out_of"] else "wrong"
    head = (
        f"<h3>{html.escape(row['title'])} "
        f"<span class='{colour}'>{row['points']:g} of {row['out_of']:g}</span></h3>"
    )
    if row.get("comment"):
        head += f"<p><b>By hand:</b> {html.escape(row['comment'])}</p>"
    if row["status"] == "unwritten":
        return head + "<p>Not written yet.</p>"
    quiet = [v for v in row["verdicts"] if v["share"] >= 1.0 and not v["message"]]
    labels = " · ".join(html.escape(verdict["label"]) for verdict in quiet)
    right = f"<p><span class='right'>✓</span> {labels}</p>" if quiet else ""
    return head + right + "".join(_verdict(v) for v in row["verdicts"] if v not in quiet)


def _verdict(row: dict[str, Any]) -> str:
    """A case that went wrong, or has something to say."""
    kind, mark = ("case done", "right'>✓") if row["share"] >= 1.0 else ("case", "wrong'>✗")
    said = {name: row[name] for name in ("asked", "got") if row[name]}
    said |= {"expected": row["expected"]} if row["expected"] and row["open"] else {}
    values = "".join(
        f"<tr><th>{name}</th><td><pre>{html.escape(text)}</pre></td></tr>"
        for name, text in said.items()
    )
    return (
        f"<div class='{kind}'><p><span class='{mark}</span> <b>{html.escape(row['label'])}</b></p>"
        + (f"<p>{_told(row['message'])}</p>" if row["message"] else "")
        + (f"<table>{values}</table>" if values else "")
        + "</div>"
    )


def _told(text: str) -> str:
    """A sentence for a page; what stands in `ticks` is code."""
    return re.sub(r"`([^`\n]+)`", r"<code>\1</code>", html.escape(text)).replace("\n", "<br>")


def summary_page(lessons: Sequence[dict[str, Any]], protections: Sequence[str]) -> str:
    """The class: how points are spread, what was missed most, and what guarded the grader."""
    body = "".join(map(_class_lesson, lessons))
    guards = "".join(f"<li>{html.escape(line)}</li>" for line in protections)
    return page("Summary", f"{body}<h2>How answers were shut in</h2><ul>{guards}</ul>")


def _class_lesson(row: dict[str, Any]) -> str:
    top = max([1, *row["bins"]])
    bars = "".join(
        f"<tr><td class='n'>{10 * at}–{10 * at + 10} %</td><td class='n'>{count}</td>"
        f"<td width='70%'><div class='bar' style='width:{100 * count / top:.0f}%'></div></td></tr>"
        for at, count in enumerate(row["bins"])
    )
    missed = "".join(
        f"<tr><td>{html.escape(title)}</td><td class='n'>{100 * share:.0f} %</td>"
        f"<td>{_told(reason)}</td></tr>"
        for title, share, reason in row["missed"]
    )
    look = "".join(f"<li>{html.escape(line)}</li>" for line in row["look"])
    return (
        f"<h2>{html.escape(row['title'])}</h2><p>{row['handed']} handed in, {row['absent']} did "
        f"not. Mean {row['mean']:.1f}, median {row['median']:.1f} of {row['out_of']:g} points.</p>"
        f"<table>{bars}</table><h3>Missed most</h3><table><tr><th>exercise</th>"
        f"<th class='n'>points lost</th><th>most frequent reason</th></tr>{missed}</table>"
        + (f"<h3>To look at by hand</h3><ul>{look}</ul>" if look else "")
    )
