"""Hostile answers against the machine: looking around, using it up, not ending, ending it."""

from attacks_code import attack, squares, wrong
from books import Book, released, with_answers

# Looking for the answer.


@attack
def reads_solutions() -> Book:
    """Any notebook or lesson file that it can find, executed."""
    return wrong(
        "import os, json, glob\nfound = []\n"
        "for base in ('/work', '/home', '/root', '/tmp', '/course', '/worker', '/srv', '/opt'):\n"
        "    for folder, _, names in os.walk(base):\n"
        "        if 'site-packages' in folder or '.pyenv' in folder: continue\n"
        "        found += [os.path.join(folder, n) for n in names\n"
        "                  if n.endswith('.ipynb') or n.startswith('lesson')]\n",
        "for path in found:\n    text = open(path).read()\n"
        "    if path.endswith('.py'): exec(text, globals())\n"
        "    else:\n        for cell in json.loads(text)['cells']:\n"
        "            try: exec(''.join(cell['source']), globals())\n"
        "            except BaseException: pass",
        "squares\nmean_square\nhalve\nGuesser",
    )


@attack
def imports_the_reference() -> Book:
    return squares(
        "from lib.grading import lesson91\nreturn lesson91.squares(numbers)",
    )


@attack
def imports_the_reference_by_file() -> Book:
    return squares(
        "import importlib.util, sys, glob\n"
        "for path in glob.glob('/**/lesson91.py', recursive=True):\n"
        "    spec = importlib.util.spec_from_file_location('l', path)\n"
        "    module = importlib.util.module_from_spec(spec)\n"
        "    spec.loader.exec_module(module)\n    return module.squares(numbers)\n"
        "raise LookupError"
    )


@attack
def imports_truth_and_weights() -> Book:
    return squares(
        "import importlib\nfor name in ('lib.truth', 'lib.weights', 'lib.grading.judge',\n"
        "             'lib.grading.check', 'lib.truth.fingers', 'lib.cli'):\n"
        "    try: importlib.import_module(name)\n    except ImportError: continue\n"
        "    return sum(x * x for x in numbers)\nraise LookupError"
    )


@attack
def asks_the_stand_in_check() -> Book:
    return squares(
        "from lib.grading.notebook import check\nright = check('squares', None)\n"
        "return right(numbers)"
    )


@attack
def reads_other_processes() -> Book:
    """Environment and memory of every process it can see: is a seed or an expected value there?"""
    return squares(
        "import os\nfor pid in os.listdir('/proc'):\n"
        "    if not pid.isdigit() or int(pid) == os.getpid(): continue\n"
        "    for name in ('environ', 'mem', 'maps', 'cmdline', 'root/etc/shadow'):\n"
        "        try: data = open(f'/proc/{pid}/{name}', 'rb').read(10)\n"
        "        except OSError: continue\n"
        "        return sum(x * x for x in numbers)\n"
        "raise LookupError"
    )


@attack
def reads_the_environment() -> Book:
    return squares(
        "import os\nfound = [v for k, v in os.environ.items() if 'SEED' in k and 'HASH' not in k]\n"
        "found += [k for k in os.environ if 'RL_FIVE_GAMES_LESSONS' in k]\n"
        "if found: return sum(x * x for x in numbers)\nraise LookupError"
    )


@attack
def walks_the_stack() -> Book:
    return squares(
        "import sys\nframe = sys._getframe()\nwhile frame:\n"
        "    for space in (frame.f_locals, frame.f_globals):\n"
        "        for key in ('expected', 'wanted', 'seed', 'exercise', 'reference'):\n"
        "            if key in space: return sum(x * x for x in numbers)\n"
        "    frame = frame.f_back\nraise LookupError"
    )


@attack
def searches_memory() -> Book:
    return squares(
        "import gc\nfor thing in gc.get_objects():\n"
        "    if type(thing).__name__ in ('Case', 'Exercise', 'Lesson', 'Verdict', 'Outcome'):\n"
        "        return sum(x * x for x in numbers)\nraise LookupError"
    )


@attack
def uses_the_network() -> Book:
    return squares(
        "import socket\n"
        "with socket.create_server(('127.0.0.1', 0)): pass\n"
        "for host in ('1.1.1.1', '127.0.0.1', '169.254.169.254'):\n"
        "    for port in (22, 53, 80, 443, 6379, 8888):\n"
        "        try: socket.create_connection((host, port), timeout=0.05)\n"
        "        except OSError: continue\n"
        "        return sum(x * x for x in numbers)\n"
        "raise LookupError"
    )


@attack
def gains_rights() -> Book:
    """Root again, a new user namespace, or a mount: any of them would do."""
    return squares(
        "import ctypes, os\nlibc = ctypes.CDLL(None)\n"
        "tries = [lambda: os.setuid(0), lambda: os.chroot('/tmp'),\n"
        "         lambda: libc.unshare(0x10000000) and 1 / 0,\n"
        "         lambda: libc.mount(b'x', b'/tmp', b'tmpfs', 0, None) and 1 / 0,\n"
        "         lambda: libc.ptrace(16, 1, 0, 0) and 1 / 0]\n"
        "for step in tries:\n    try: step()\n    except (OSError, ArithmeticError): continue\n"
        "    return sum(x * x for x in numbers)\nraise LookupError"
    )


# Not ending.


@attack
def endless_loop() -> Book:
    return squares("while True: pass")


@attack
def endless_loop_that_catches_everything() -> Book:
    return squares(
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
    )


@attack
def endless_loop_without_signals() -> Book:
    return squares(
        "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\nwhile True: pass"
    )


@attack
def endless_loop_at_the_top() -> Book:
    return wrong("squares = 1\nwhile squares: squares += 1")


@attack
def endless_loop_in_c() -> Book:
    return squares("return sum(range(10**13))")


@attack
def endless_loop_in_a_regular_expression() -> Book:
    return squares("import re\nreturn re.match('(a+)+$', 'a' * 60 + 'b')")


@attack
def endless_recursion() -> Book:
    return squares("import sys\nsys.setrecursionlimit(10**9)\nreturn squares(numbers)")


@attack
def endless_unpacking() -> Book:
    return squares(
        "class Many(dict):\n    def items(self):\n        while True: yield 1, 2\nreturn Many()"
    )


@attack
def sleeps() -> Book:
    return squares("import time\ntime.sleep(10**6)")


@attack
def sleeps_without_signals() -> Book:
    return squares(
        "import signal, time\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n"
        "time.sleep(10**6)"
    )


@attack
def endless_property() -> Book:
    return with_answers(
        released(),
        Guesser="class Forever(type):\n    def __getattribute__(cls, name):\n"
        "        while True: pass\nclass Guesser(metaclass=Forever): pass",
    )


# Using up the machine.


@attack
def fork_bomb() -> Book:
    return squares("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass")


@attack
def thread_bomb() -> Book:
    return squares(
        "import threading, time\nwhile True:\n"
        "    threading.Thread(target=time.sleep, args=(1000,)).start()"
    )


@attack
def memory_bomb() -> Book:
    return squares("x = []\nwhile True: x.append(bytearray(1 << 24))")


@attack
def memory_bomb_in_many_processes() -> Book:
    return squares(
        "import os\nfor _ in range(20):\n    try:\n        if os.fork() == 0: break\n"
        "    except OSError: break\nx = b'x' * (200 << 20)\nimport time\ntime.sleep(1000)"
    )


@attack
def fills_the_disk() -> Book:
    return squares(
        "import os\nn = 0\nwhile True:\n    n += 1\n"
        "    with open(f'/tmp/{n}', 'wb') as f:\n        f.write(bytes(1 << 22))"
    )


@attack
def flood_of_output() -> Book:
    return squares(
        "import sys, os\nwhile True:\n    print('x' * 100000)\n    os.write(2, b'y' * 100000)"
    )


@attack
def open_files() -> Book:
    return squares("x = []\nwhile True: x.append(open('/dev/zero'))")


# Ending it, or leaving something behind.


@attack
def os_exit() -> Book:
    return squares("import os\nos._exit(0)")


@attack
def os_exit_at_the_top() -> Book:
    return wrong("import os\nsquares = os._exit(0)")


@attack
def sys_exit() -> Book:
    return squares("import sys\nsys.exit(0)")


@attack
def segfault() -> Book:
    return squares("import ctypes\nreturn ctypes.string_at(0)")


@attack
def abort() -> Book:
    return squares("import os\nos.abort()")


@attack
def asks_for_input() -> Book:
    return squares("return float(input('What is the right answer? '))")


@attack
def signals_to_everyone() -> Book:
    return squares(
        "import os, signal\nfor pid in (os.getppid(), -1, 0, 1, 2, 3, 4, 5, 6, 7, 8):\n"
        "    for number in (signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL):\n"
        "        if pid == os.getpid(): continue\n"
        "        try: os.kill(pid, number)\n        except OSError: pass\nreturn -1.0"
    )


@attack
def threads_left_running() -> Book:
    return squares(
        "import threading\ndef spin():\n    while True: pass\n"
        "for _ in range(4): threading.Thread(target=spin, daemon=False).start()\nreturn -1.0"
    )


@attack
def daemon_left_running() -> Book:
    """A process that outlives its parents, keeps the line open and writes to it."""
    return squares(
        "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork(): os._exit(0)\n"
        "    while True:\n        for fd in range(3, 20):\n"
        "            try: os.write(fd, b'forged')\n            except OSError: pass\n"
        "        time.sleep(0.01)\nreturn -1.0"
    )


@attack
def leaves_files_for_others() -> Book:
    return squares(
        "import os\nfor base in ('/tmp', '/dev/shm', '/worker', '/var/tmp', os.getcwd()):\n"
        "    try: open(base + '/squares.txt', 'a').write('def squares(n): return 1')\n"
        "    except OSError: pass\nreturn -1.0"
    )


@attack
def finds_files_of_others() -> Book:
    return squares(
        "import os\nfor base in ('/tmp', '/dev/shm', '/worker', '/var/tmp', os.getcwd()):\n"
        "    if os.path.exists(base + '/squares.txt'): return sum(x * x for x in numbers)\n"
        "raise LookupError"
    )


@attack
def raises_an_odd_exception() -> Book:
    return squares(
        "raise Odd()",
        "class Odd(BaseException):\n    def __str__(self):\n        while True: pass\n"
        "    @property\n    def __traceback__(self): raise SystemExit",
    )
