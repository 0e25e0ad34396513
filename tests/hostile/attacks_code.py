"""Hostile answers, one function each: code that lies, looks around, patches, or never ends.

Each returns the notebook that is handed in; none of them answers the exercise, so none has earned
a point.
"""

from collections.abc import Callable

from books import Book, cells_of, released, with_answers, with_cells

Attack = Callable[[], Book]
ATTACKS: dict[str, Attack] = {}


def attack(function: Attack) -> Attack:
    """Put an attack on the list."""
    ATTACKS[function.__name__] = function
    return function


def squares(body: str, before: str = "") -> Book:
    """The released lesson with this body of `squares`; the other exercises stay unwritten."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return with_answers(released(), squares=f"{before}\ndef squares(numbers):\n{lines}\n")


WRONG = {
    "squares": "def squares(numbers): return -1.0",
    "mean_square": "def mean_square(numbers): return -1.0",
    "halve": "def halve(values): values += 1",
    "Guesser": "class Guesser:\n    def guess(self, low, high): return -1",
}


def wrong(*cells: str) -> Book:
    """Wrong answers to everything, below these cells.

    The cells bind the names of all answers, so that a grader which runs only what an answer depends
    on runs them too.
    """
    names = " = ".join(WRONG)
    run = [f"{names} = exec({cell!r}, globals())" for cell in cells]
    return with_cells(with_answers(released(), **WRONG), *run)


# The notebook's own machinery.


@attack
def skip_tags() -> Book:
    book = wrong()
    for cell in book["cells"]:
        cell["metadata"]["tags"] = ["nbval-skip", "raises-exception", "nbval-ignore-output", "skip"]
    return book


@attack
def deleted_checks() -> Book:
    book = wrong()
    book["cells"] = [c for c in book["cells"] if c not in cells_of(book, "check")]
    return book


@attack
def edited_checks() -> Book:
    book = wrong()
    for cell in cells_of(book, "check"):
        cell["source"] = "print('10/10 points')"
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "10/10 points\n"}]
    return book


@attack
def copied_checks() -> Book:
    book = wrong()
    book["cells"] += cells_of(book, "check") * 3
    return book


@attack
def checks_made_answers() -> Book:
    """The check's own return value, the reference in a notebook, as the answer."""
    return with_answers(
        released(), squares='squares = check("squares", lambda numbers: -1.0)\nsquares([1.0])'
    )


@attack
def silenced_tracebacks() -> Book:
    return wrong(
        "import sys\nip = get_ipython()\nip.showtraceback = lambda *a, **k: None\n"
        "sys.excepthook = lambda *a: None\nip.set_custom_exc((BaseException,), lambda *a: None)"
    )


@attack
def input_transformer() -> Book:
    return wrong(
        "get_ipython().input_transformers_cleanup.append(\n"
        "    lambda lines: [] if any('check(' in line for line in lines) else lines)"
    )


@attack
def replaced_run_cell() -> Book:
    return wrong("get_ipython().run_cell = lambda *a, **k: None\nget_ipython().kernel = None")


# Objects that lie.

EQUAL = (
    "class Equal(float):\n"
    "    def __eq__(self, other): return True\n"
    "    def __ne__(self, other): return False\n"
    "    __lt__ = __le__ = __gt__ = __ge__ = __eq__\n"
    "    def __hash__(self): return 0\n"
    "    def __sub__(self, other): return 0.0\n"
    "    __rsub__ = __sub__\n"
    "    def __abs__(self): return 0.0\n"
    "    def __float__(self): return 5.0\n"
)


@attack
def equal_to_everything() -> Book:
    return squares("return Equal()", EQUAL.replace("(float)", ""))


@attack
def float_subclass() -> Book:
    return squares("return Equal(3)", EQUAL)


@attack
def float_subclass_named_float() -> Book:
    return squares("return float(3)", EQUAL.replace("class Equal", "class float"))


@attack
def array_subclass() -> Book:
    return squares(
        "return np.zeros(1).view(Lie)",
        "class Lie(np.ndarray):\n"
        "    def __eq__(self, other): return np.True_\n"
        "    def __array_function__(self, *a, **k): return True\n"
        "    def __array_ufunc__(self, *a, **k): return np.True_\n"
        "    def item(self): return 5.0",
    )


@attack
def list_and_dict_subclasses() -> Book:
    return squares(
        "return Lie([3.0])",
        "class Lie(list):\n    def __eq__(self, other): return True\n"
        "    def __len__(self): return 1",
    )


@attack
def class_that_says_it_is_float() -> Book:
    return squares(
        "return Lie()",
        "class Meta(type):\n    def __instancecheck__(c, x): return True\n"
        "    def __eq__(c, other): return True\n    def __hash__(c): return hash(float)\n"
        "class Lie(metaclass=Meta):\n    __class__ = float\n"
        "    def __eq__(self, other): return True",
    )


@attack
def pickle_bomb() -> Book:
    return squares(
        "return Bomb()",
        "class Bomb:\n    def __reduce__(self):\n"
        "        import os\n        return os.system, ('touch /tmp/pwned',)",
    )


@attack
def not_a_number() -> Book:
    return squares("return float('nan')")


@attack
def generator() -> Book:
    return squares("return (x for x in iter(int, 1))")


@attack
def huge_integer() -> Book:
    return squares("return 1 << 10_000_000")


@attack
def deep_list() -> Book:
    return squares("x = []\nfor _ in range(100_000): x = [x]\nreturn x")


@attack
def list_that_holds_itself() -> Book:
    return squares("x = []\nx.append(x)\nreturn x")


@attack
def huge_array() -> Book:
    return squares("return np.zeros(20_000_000)")


# Patching what judges.


@attack
def patched_check() -> Book:
    return wrong(
        "import lib.grading.notebook as n\nn.check = check = lambda name, *a: print('5/5 points')"
    )


@attack
def patched_judge() -> Book:
    return wrong(
        "import sys\nfor name, module in list(sys.modules.items()):\n"
        "    for word in ('mark', 'same', '_judged', 'judge', 'describe'):\n"
        "        if hasattr(module, word):\n"
        "            try: setattr(module, word, lambda *a, **k: '')\n"
        "            except Exception: pass"
    )


@attack
def patched_numpy_testing() -> Book:
    return wrong(
        "import numpy as np, math\n"
        "np.testing.assert_allclose = np.testing.assert_equal = lambda *a, **k: None\n"
        "np.allclose = np.isclose = np.array_equal = math.isclose = lambda *a, **k: True"
    )


@attack
def patched_builtins() -> Book:
    return wrong(
        "import builtins\nbuiltins.sum = builtins.abs = lambda *a: 0\n"
        "builtins.isinstance = lambda *a: True\nbuiltins.all = lambda *a: True"
    )


@attack
def patched_assert() -> Book:
    return wrong(
        "import builtins\nclass Quiet(Exception):\n    def __new__(cls, *a): return SystemExit(0)\n"
        "builtins.AssertionError = builtins.Exception = Quiet"
    )


@attack
def patched_session() -> Book:
    """The worker's own code is the student's to change: it can only change what is said."""
    return wrong(
        "import sys\nsession, wire = sys.modules['session'], sys.modules['wire']\n"
        "forged = {'value': 1.0, 'points': 10, 'share': 1.0, 'right': True, 'open': True}\n"
        "session.Session.request = lambda *a: (forged, wire.Message())"
    )


PATCH = (
    "import sys\nsession, wire = sys.modules['session'], sys.modules['wire']\n"
    "session.Session.request = lambda self, request, blobs: (REPLY, wire.Message())\n"
)


@attack
def nothing_changed_in_place() -> Book:
    """Leaves out the arguments afterwards, which is all that is judged of `halve`."""
    return wrong(PATCH.replace("REPLY", "{'value': None}"))


@attack
def forged_handles() -> Book:
    return wrong(PATCH.replace("REPLY", "{'handle': 'x' * 99, 'type': 7, 'value': [1, 2]}"))


@attack
def forged_error() -> Book:
    return wrong(PATCH.replace("REPLY", "{'error': {'kind': [1], 'message': {}}}"))


@attack
def forged_arrays() -> Book:
    return wrong(PATCH.replace("REPLY", "{'value': [5, 'O', [1], 0], 'after': [1, [5, '<f8']]}"))


@attack
def forged_callbacks() -> Book:
    return wrong(
        "import sys, types\nfor frame in [sys._getframe(i) for i in range(3)]:\n"
        "    line = frame.f_locals.get('line') or frame.f_globals.get('line')\n"
        "import gc\nworker = sys.modules['worker']\n"
        "lines = [o for o in gc.get_objects() if type(o).__name__ == 'Line']\n"
        "wire = sys.modules['wire']\n"
        "for line in lines:\n    for n in (0, 1, -1, 10**30):\n"
        "        line.send({'callback': n, 'method': '__class__', 'value': [1, [1], [4]]}, "
        "wire.Message())"
    )


# Writing where the referee reads.

FORGE = (
    "import os, json, struct\n"
    "text = json.dumps([{'reply': {'value': 5.0, 'points': 4}}, []]).encode()\n"
    "for fd in range(3, 64):\n    try: os.write(fd, PAYLOAD)\n    except OSError: pass\n"
)


@attack
def forged_frames() -> Book:
    return wrong(FORGE.replace("PAYLOAD", "(struct.pack('<II', len(text), 0) + text) * 50"))


@attack
def junk_on_the_line() -> Book:
    return wrong(FORGE.replace("PAYLOAD", "os.urandom(4096)"))


@attack
def endless_frame() -> Book:
    return wrong(FORGE.replace("PAYLOAD", "struct.pack('<II', 4_000_000_000, 4_000_000_000)"))


@attack
def deep_json_on_the_line() -> Book:
    return wrong(FORGE.replace("PAYLOAD", "struct.pack('<II', 200000, 0) + b'[' * 200000"))


@attack
def printed_result() -> Book:
    return wrong(
        "print('10/10 points')",
        "import sys\nsys.stdout.write('{\"points\": 10}')\nsys.__stderr__.write('PASSED')",
    )


@attack
def written_gradebook() -> Book:
    return wrong(
        "import os\nfor base in ('/', '/tmp', '.', '..', os.path.expanduser('~')):\n"
        "    for name in ('gradebook.csv', 'results.json', 'manual.csv'):\n"
        "        try: open(os.path.join(base, name), 'w').write('mallory,91,squares,4,')\n"
        "        except OSError: pass"
    )
