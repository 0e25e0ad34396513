"""Whether two plain values are the same answer, and how they differ, in words."""

import math
from typing import Any

import numpy as np

from lib.grading.wire import Member

NUMBERS = (bool, int, float)
FLAT = {tuple, list}
WHOLE = {int, bool, str}
MARKS: dict[type, str] = {list: "[]", tuple: "()"}


def same(expected: Any, got: Any, *, tol: float = 1e-5, ordered: bool = True) -> bool:
    """True if `got` says what `expected` says: list or tuple or array, int or float, any dtype.

    With `ordered=False` the order of the outermost list does not matter.
    """
    if type(expected) in FLAT and _flat(expected) and _flat(got) and expected == got:
        return True  # as most arguments of most cases, which are only looked at for a change
    if isinstance(expected, np.ndarray) and expected.ndim == 0:
        expected = expected.item()
    if not ordered and type(got) in (set, frozenset):
        got = list(got)
    if type(expected) in (set, frozenset) or type(got) in (set, frozenset):
        return _same_set(expected, got, tol)
    if type(expected) is dict or type(got) is dict:
        return _same_dict(expected, got, tol)
    if type(expected) in NUMBERS and _scalar(got) is not None:
        return _close(expected, _scalar(got), tol)
    if _is_sequence(expected) and _is_sequence(got):
        if isinstance(expected, np.ndarray) and isinstance(got, np.ndarray) and ordered:
            if expected.shape != got.shape or (expected == got).all():  # as is most often so
                return expected.shape == got.shape
            return bool(np.allclose(got, expected, rtol=tol, atol=tol, equal_nan=True))
        left, right = _items(expected), _items(got)
        if not ordered:
            return len(left) == len(right) and _same_unordered(left, right, tol)
        return len(left) == len(right) and all(
            same(a, b, tol=tol) for a, b in zip(left, right, strict=True)
        )
    return type(expected) is type(got) and bool(expected == got)


def _flat(value: Any) -> bool:
    """Whether it is a list or tuple, or one of such, of whole numbers and texts alone."""
    if type(value) not in FLAT:
        return False
    kinds = set(map(type, value))
    return kinds <= WHOLE or (
        kinds <= FLAT and all(set(map(type, part)) <= WHOLE for part in value)
    )


def _scalar(value: Any) -> Any:
    """A number out of a number or an array of no dimensions; None otherwise."""
    if type(value) in NUMBERS:
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value.item()
    return None


def _close(a: float, b: float, tol: float) -> bool:
    if a == b or (a != a and b != b):
        return True
    try:
        return math.isclose(a, b, rel_tol=tol, abs_tol=tol)
    except OverflowError:
        return False


def _is_sequence(value: Any) -> bool:
    return type(value) in (list, tuple) or (isinstance(value, np.ndarray) and value.ndim > 0)


def _items(value: Any) -> list[Any]:
    return value.tolist() if isinstance(value, np.ndarray) else list(value)


def _same_set(expected: Any, got: Any, tol: float) -> bool:
    if type(expected) not in (set, frozenset) or type(got) not in (set, frozenset, list, tuple):
        return False
    return len(expected) == len(got) and _same_unordered(list(expected), list(got), tol)


def _same_unordered(left: list[Any], right: list[Any], tol: float) -> bool:
    rest = list(right)
    for item in left:
        match = next((i for i, other in enumerate(rest) if same(item, other, tol=tol)), None)
        if match is None:
            return False
        del rest[match]
    return not rest


def _same_dict(expected: Any, got: Any, tol: float) -> bool:
    if type(expected) is not dict or type(got) is not dict or len(expected) != len(got):
        return False
    return all(key in got and same(value, got[key], tol=tol) for key, value in expected.items())


def difference(expected: Any, got: Any) -> str:
    """The most telling difference in one sentence; "" if only the values differ."""
    if got is None and expected is not None:
        return "It returned None: is there a `return`?"
    if has_nan(got) and not has_nan(expected):
        return "There is a NaN in it: look for 0/0, log(0), or inf - inf."
    wanted, found = _kind(expected), _kind(got)
    if wanted != found:
        return f"It returned {found}; {wanted} is expected."
    if isinstance(expected, np.ndarray) and np.shape(expected) != np.shape(got):
        return f"It has the shape {np.shape(got)}; {np.shape(expected)} is expected."
    if _is_sequence(expected) and len(_items(expected)) != len(_items(got)):
        return f"It has {len(_items(got))} items; {len(_items(expected))} are expected."
    return ""


def has_nan(value: Any) -> bool:
    """Whether there is a NaN anywhere in a plain value."""
    if type(value) is float:
        return math.isnan(value)
    if isinstance(value, np.ndarray):
        return value.dtype.kind == "f" and bool(np.isnan(value).any())
    if type(value) in (list, tuple, set, frozenset):
        return any(has_nan(item) for item in value)
    return type(value) is dict and any(has_nan(item) for item in value.values())


def _kind(value: Any) -> str:
    if value is None:
        return "None"
    if _scalar(value) is not None:
        return "a number" if type(_scalar(value)) is not bool else "True or False"
    if _is_sequence(value):
        return "a sequence"
    if type(value) in (set, frozenset):
        return "a set"
    if type(value) is Member:
        return f"a member of {value.kind}"
    names: dict[type, str] = {str: "a string", dict: "a dict"}
    return names.get(type(value), type(value).__name__)


def show(value: Any, limit: int = 240) -> str:
    """A value on few lines, cut where it is long."""
    if isinstance(value, np.ndarray):
        text = np.array2string(value, precision=4, threshold=40, separator=", ")
        if value.ndim == 1:  # nothing to align
            text = "".join(text.split()).replace(",", ", ")
    elif type(value) is Member:
        text = f"{value.kind}.{value.name}"
    elif type(value) is float:
        text = f"{value:.6g}"
    elif type(value) in (list, tuple, set, frozenset):
        marks = MARKS.get(type(value), "{}")
        comma = "," if type(value) is tuple and len(value) == 1 else ""
        items = [show(item, limit) for item in value]
        if type(value) in (set, frozenset):
            items.sort()  # their own order differs from process to process
        text = marks[0] + ", ".join(items) + comma + marks[1]
    elif type(value) is dict:
        text = "{" + ", ".join(f"{show(k)}: {show(v, limit)}" for k, v in value.items()) + "}"
    else:
        text = _show_marker(value)
    return text if len(text) <= limit else text[: limit - 2] + " …"


def _show_marker(value: Any) -> str:
    """Inputs that are made on the spot, as a student would write them."""
    kind = type(value).__name__
    if kind == "Tensor":
        return f"tensor({show(np.asarray(value.array))})"
    if kind == "Rng":
        return f"default_rng({value.seed})"
    if kind == "Make":
        inside = [show(arg) for arg in value.args]
        inside += [f"{key}={show(arg)}" for key, arg in value.kwargs.items()]
        return f"{value.what}({', '.join(inside)})" if value.call else value.what
    if kind == "Callback":
        return getattr(value.target, "__name__", type(value.target).__name__)
    return repr(value)
