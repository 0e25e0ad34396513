"""The colours of all drawings, by what they stand for, in a light and a dark edition.

Players and verdicts use the Okabe-Ito colours, which stay apart for colour-blind readers; nothing
is said by colour alone, so every verdict also carries a sign.
"""

LIGHT: dict[str, str] = {
    "paper": "#ffffff",
    "panel": "#f3f1ec",
    "cell": "#e4e0d8",
    "cell2": "#d9d4ca",
    "line": "#b9b3a7",
    "ink": "#23211e",
    "muted": "#66625a",
    "white": "#ffffff",
    "black": "#1d1b19",
    "p0": "#0072b2",
    "p0soft": "#cfe4f1",
    "p1": "#b84a00",
    "p1soft": "#f7dccb",
    "good": "#00694d",
    "goodsoft": "#c9ebdf",
    "even": "#6b5f00",
    "evensoft": "#f3ecbd",
    "bad": "#a02c00",
    "badsoft": "#f9d8cb",
    "lit": "#8a5cd1",
    "litsoft": "#e6dcf7",
    "peg": "#7a4a1f",
    "pegtop": "#a86f38",
    "skin": "#f0c9a4",
    "skinline": "#9c6b3f",
    "s0": "#0072b2",
    "s1": "#b84a00",
    "s2": "#00694d",
    "s3": "#a3386f",
    "s4": "#6b5f00",
    "s5": "#3d7fa6",
}

DARK: dict[str, str] = {
    "paper": "#1b1d20",
    "panel": "#2a2d31",
    "cell": "#383d43",
    "cell2": "#444a52",
    "line": "#69727c",
    "ink": "#eceae6",
    "muted": "#a7adb5",
    "white": "#ffffff",
    "black": "#1d1b19",
    "p0": "#5cb8ee",
    "p0soft": "#16384d",
    "p1": "#f09455",
    "p1soft": "#4d2a14",
    "good": "#4fd3ab",
    "goodsoft": "#10402f",
    "even": "#e3d15c",
    "evensoft": "#403a10",
    "bad": "#ff9066",
    "badsoft": "#4f2212",
    "lit": "#b794f6",
    "litsoft": "#382a57",
    "peg": "#c58a52",
    "pegtop": "#e3b07d",
    "skin": "#d8ab82",
    "skinline": "#f0d3b6",
    "s0": "#5cb8ee",
    "s1": "#f09455",
    "s2": "#4fd3ab",
    "s3": "#e58bbb",
    "s4": "#e3d15c",
    "s5": "#a9d4ef",
}

TILES = (  # 2048's tiles 2, 4, 8, ...: the same in both editions
    *("#efe6da", "#ecdcc0", "#f3b57f", "#f29a66", "#f0855f", "#eb6f4f", "#ecc967", "#e6bd45"),
    *("#dcae2c", "#cf9f14", "#bf8f00", "#2b7f72", "#24695f", "#1f6c8f", "#23527a", "#3a3a6e"),
)
TILE_INK = (*("#5d5348",) * 2, *("#33261b",) * 9, *("#ffffff",) * 5)
for _power, (_face, _ink) in enumerate(zip(TILES, TILE_INK, strict=True), start=1):
    for _edition in (LIGHT, DARK):
        _edition[f"tile{_power}"] = _face
        _edition[f"tileink{_power}"] = _ink

# In Jupyter the page's own variables win, so that a board sits on the reader's theme.
FROM_PAGE = {
    "paper": "--jp-layout-color0",
    "ink": "--jp-ui-font-color1",
}


def colour(role: str, *, dark: bool = False) -> str:
    """The colour of a role: "p0" -> "#0072b2"; ValueError if nobody knows it."""
    edition = DARK if dark else LIGHT
    if role not in edition:
        raise ValueError(f"no colour for {role!r}: choose one of {', '.join(sorted(edition))}")
    return edition[role]


def _variables(edition: dict[str, str]) -> str:
    lines = []
    for role, value in edition.items():
        page = FROM_PAGE.get(role)
        lines.append(f"--rl-{role}: {f'var({page}, {value})' if page else value};")
    return " ".join(lines)


def css() -> str:
    """Both editions as CSS variables; the page says which one holds."""
    dark = ('[data-jp-theme-light="false"] .rl', ".theme-dark .rl", ".rl.rl-dark")
    return f".rl {{ {_variables(LIGHT)} }}\n{', '.join(dark)} {{ {_variables(DARK)} }}\n"
