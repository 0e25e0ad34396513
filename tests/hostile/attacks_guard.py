"""Hostile answers against the guard, which forks the next worker when one has ended.

Those that `remember` have the right answers ready, and give them where they find the mark that a
worker before theirs has left: each exercise has a worker of its own, and the same guard. (To a tool
that runs a whole notebook in one process they prove nothing.)
"""

from attacks_code import WRONG, attack, squares
from books import ANSWERS, Book, released, with_answers


def remembers(body: str) -> Book:
    """Right answers where `mark()`, with this body, says that it was called before."""
    function = "def mark():\n" + indented(body)
    answers = {
        name: f"import os, sys, ctypes, fcntl, socket, time\n{function}\nif mark():\n"
        f"{indented(ANSWERS[name])}\nelse:\n{indented(wrong)}"
        for name, wrong in WRONG.items()
    }
    return with_answers(released(), **answers)


def indented(text: str) -> str:
    """Four spaces further to the right."""
    return "\n".join(f"    {line}" for line in text.splitlines())


@attack
def remembers_in_files() -> Book:
    """Wherever something can be written: a folder, a device, a setting of the system."""
    return remembers(
        "found = False\nfor folder, folders, names in os.walk('/'):\n"
        "    if folder in ('/usr', '/proc') or 'site-packages' in folder: folders[:] = []\n"
        "    path = os.path.join(folder, 'mark.py')\n    found |= os.path.exists(path)\n"
        "    try: open(path, 'w').close()\n    except OSError: pass\nreturn found"
    )


@attack
def remembers_in_keyrings() -> Book:
    """Of the process, the session and the user; by the calls of both common machines."""
    return remembers(
        "libc, rings = ctypes.CDLL(None), (-3, -4, -5)\n"
        "first = 248 if os.uname().machine == 'x86_64' else 217\n"
        "look = lambda ring: libc.syscall(first + 2, 10, ring, b'user', b'mark', 0)\n"
        "found = max(map(look, rings)) > 0\n"
        "for ring in rings: libc.syscall(first, b'user', b'mark', b'1', 1, ring)\nreturn found"
    )


@attack
def remembers_in_open_files() -> Book:
    """The flags of a file belong to all processes that have inherited it."""
    return remembers(
        "flags = fcntl.fcntl(0, fcntl.F_GETFL)\n"
        "found = bool(flags & os.O_NONBLOCK) or fcntl.fcntl(0, 11) == 44\n"
        "fcntl.fcntl(0, fcntl.F_SETFL, flags | os.O_NONBLOCK)\nfcntl.fcntl(0, 10, 44)\n"
        "return found"
    )


@attack
def remembers_in_a_process() -> Book:
    """A process that stays behind and answers who comes next."""
    return remembers(
        "places = ['\\0mark', ('127.0.0.1', 4711)]\nfound = False\nfor place in places:\n"
        "    kind = socket.AF_INET if type(place) is tuple else socket.AF_UNIX\n"
        "    line = socket.socket(kind)\n    found |= line.connect_ex(place) == 0\n"
        "    line.close()\n    if os.fork() == 0:\n        os.setsid()\n"
        "        if os.fork(): os._exit(0)\n        line = socket.socket(kind)\n"
        "        try: line.bind(place); line.listen(9)\n        except OSError: os._exit(0)\n"
        "        time.sleep(600)\ntime.sleep(0.1)\nreturn found"
    )


@attack
def remembers_in_shared_memory() -> Book:
    return remembers(
        "libc = ctypes.CDLL(None)\nfound = libc.shmget(4711, 4096, 0) >= 0\n"
        "libc.shmget(4711, 4096, 0o1666)\nfound |= libc.semget(4711, 1, 0) >= 0\n"
        "libc.semget(4711, 1, 0o1666)\nname = b'mark'\nfound |= socket.gethostname() == 'mark'\n"
        "libc.sethostname(name, 4)\nreturn found"
    )


@attack
def remembers_in_the_forks() -> Book:
    """What the guard has read beforehand, and every module that it forks with."""
    return remembers(
        "import builtins, gc\nfound = hasattr(builtins, 'MARK') or hasattr(os, 'MARK')\n"
        "builtins.MARK = os.MARK = True\ncells = sys.modules['worker_cells']\n"
        "for thing in gc.get_objects():\n    if type(thing) is cells.Statement:\n"
        "        found |= getattr(thing, 'mark', False)\n        thing.mark = True\n"
        "        thing.__dict__['code'] = compile('squares = SCALE = None', 'x', 'exec')\n"
        "for name in ('guard', 'warm', 'worker', 'session', 'sandbox_inside', '__main__'):\n"
        "    module = sys.modules.get(name)\n    if module is None: continue\n"
        "    found |= hasattr(module, 'MARK')\n    module.MARK = True\n"
        "    for word in ('serve', '_work', 'enter', 'Watch'):\n"
        "        if hasattr(module, word): setattr(module, word, None)\nreturn found"
    )


@attack
def a_name_in_no_language() -> Book:
    """A process may be called anything; whoever reads its name must not stumble over it."""
    return squares(
        "import ctypes, os, time\nctypes.CDLL(None).prctl(15, b'\\xff) \\xfe', 0, 0, 0)\n"
        "for _ in range(15):\n    if os.fork() == 0: break\n"
        "x = b'x' * (100 << 20)\ntime.sleep(1000)"
    )


@attack
def talks_like_a_guard() -> Book:
    """On every line that it has, from a process of its own, and to every process that it sees."""
    return squares(
        "import json, os, time\n"
        "word = {'status': 0, 'reason': '', 'cpu': 0, 'memory': 0, 'guard': 0, 'again': True}\n"
        "text = json.dumps(word).encode() + b'\\n'\nif os.fork() == 0:\n    os.setsid()\n"
        "    lines = list(range(3, 128))\n"
        "    lines += [f'/proc/{pid}/fd/{fd}' for pid in range(99) for fd in range(20)]\n"
        "    while True:\n        for line in lines:\n"
        "            try: os.write(line if type(line) is int else os.open(line, 1), text)\n"
        "            except OSError: pass\n        time.sleep(0.01)\n"
        "time.sleep(0.2)\nreturn -1.0"
    )


@attack
def copies_of_itself() -> Book:
    """Each of them goes on where an answer goes on: with the reply."""
    return squares("import os\nfor _ in range(64): os.fork()\nreturn sum(numbers)")


@attack
def fills_every_line() -> Book:
    return squares(
        "import os\nfor fd in range(3, 128):\n    try:\n"
        "        while True: os.write(fd, bytes(1 << 16))\n    except OSError: pass\nreturn -1.0"
    )


@attack
def closes_every_line() -> Book:
    """And goes on: its guard has to end it."""
    return squares("import os\nos.closerange(3, 128)\nwhile True: pass")


@attack
def sends_open_files() -> Book:
    """Handles beside the answer: nobody may keep them."""
    return squares(
        "import os, socket\nfor fd in range(3, 128):\n"
        "    try: line = socket.socket(fileno=os.dup(fd))\n    except OSError: continue\n"
        "    for _ in range(200):\n        try: socket.send_fds(line, [b'x'], [0] * 50)\n"
        "        except OSError: break\nreturn -1.0"
    )


@attack
def traces_everyone() -> Book:
    """Attach to, read and take handles from every process there may be: the guard is one."""
    return squares(
        "import ctypes, os\nlibc = ctypes.CDLL(None)\nbuffer = ctypes.create_string_buffer(64)\n"
        "for pid in [os.getppid(), *range(400)]:\n    if pid == os.getpid(): continue\n"
        "    for step in (lambda: libc.ptrace(16, pid, None, None) == 0,\n"
        "                 lambda: libc.process_vm_readv(pid, buffer, 1, buffer, 1, 0) > 0,\n"
        "                 lambda: pid > 0 and libc.syscall(434, pid, 0) >= 0,\n"
        "                 lambda: pid > 0 and os.sched_getaffinity(pid)):\n"
        "        try: got = step()\n        except OSError: continue\n"
        "        if got: return sum(x * x for x in numbers)\nraise LookupError"
    )


@attack
def climbs_to_the_guard() -> Book:
    """Into the guard's process table, or as a child of the guard instead of its own."""
    return squares(
        "import ctypes, fcntl, os\nlibc = ctypes.CDLL(None)\n"
        "try: table = fcntl.ioctl(os.open('/proc/self/ns/pid', os.O_RDONLY), 0xB702)\n"
        "except OSError: table = -1\nif table >= 0 and libc.setns(table, 0) == 0:\n"
        "    return sum(x * x for x in numbers)\n"
        "clone = 56 if os.uname().machine == 'x86_64' else 220\n"
        "made = libc.syscall(clone, 0x8000 | 17, 0, 0, 0, 0)\n"
        "if made == 0: os._exit(0)\nif made > 0: return sum(x * x for x in numbers)\n"
        "raise LookupError"
    )
