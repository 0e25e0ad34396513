"""Names of files and folders that a careless grader would stumble over."""

ODD_NAMES = [
    "-rf",
    "a b  c",
    "quote'\"`$(touch x)`",
    "<script>alert(1)</script>"[:8] + "img src=x onerror=alert(1)>",
    "line\nbreak\ttab",
    "=cmd|' calc'!A1",
    "@sum(1)",
    "ünïcödé-名前-🙂",
    "\u202eevil",
    "back\\slash",
    "per%cent%00",
    "semi;colon&amp;",
    "con",
    "x" * 200,
    "..hidden..",
    "*?[a-z]",
]
ODD_BYTES = [b"latin-\xe9\xff", b"\xed\xa0\x80"]
