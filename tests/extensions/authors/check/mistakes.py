"""Mistakes of beginners: each a small bot, with the name under which a check has to find it."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any, Final, NamedTuple

from arena.extensions.authors.check.finding import Name

PYTHON: Final = """import json, sys

def send(**message):
    print(json.dumps(message), flush=True)

def begin(message):
    pass

def choose(message):
    return 0

def end(message):
    pass

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        send(type="ready", protocol=1, wants=[])
    elif message["type"] == "start":
        begin(message)
    elif message["type"] == "act":
        send(type="action", id=message["id"], action=choose(message))
    elif message["type"] == "over":
        end(message)
"""
"""Plays the first legal action, and makes no mistake."""

JAVASCRIPT: Final = """
const send = (message) => console.log(JSON.stringify(message));
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'hello') {
    send({ type: 'ready', protocol: 1, wants: [] });
  } else if (message.type === 'act') {
    console.log('thinking', message.time_left);
    send({ type: 'action', id: message.id, action: 0 });
  }
});
"""

CPP: Final = """
#include <iostream>
#include <string>

int main() {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    for (std::string line; std::getline(std::cin, line);) {
        if (line.find("\\"hello\\"") != std::string::npos) {
            std::cout << "{\\"type\\":\\"ready\\",\\"protocol\\":1}" << '\\n';
        } else if (line.find("\\"act\\"") != std::string::npos) {
            auto at = line.find("\\"id\\":\\"") + 6;
            std::cout << "{\\"type\\":\\"action\\",\\"id\\":\\"" << line.substr(at, 16)
                      << "\\",\\"action\\":0}" << '\\n';
        }
    }
}
"""

SHELL: Final = """#!/bin/bash
while IFS= read -r line; do
  case "$line" in
    *'"type":"hello"'*) echo '{"type":"ready","protocol":1,"wants":[]}' ;;
    *'"type":"act"'*)
      id=${line#*'"id":"'}
      echo '{"type":"action","id":"'"${id%%'"'*}"'","action":0,}' ;;
  esac
done
"""

CHUNKS: Final = """
const send = (message) => console.log(JSON.stringify(message));
process.stdin.on('data', (data) => {
  const message = JSON.parse(data);
  if (message.type === 'hello') send({ type: 'ready', protocol: 1, wants: [] });
  else if (message.type === 'act') send({ type: 'action', id: message.id, action: 0 });
});
"""
THREAD: Final = """import json, queue, sys, threading

asked, found = queue.Queue(), queue.Queue()

def think():
    while True:
        message = asked.get()
        found.put(message["legal"].index("pass"))

threading.Thread(target=think, daemon=True).start()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1, "wants": ["legal"]}), flush=True)
    elif message["type"] == "act":
        asked.put(message)
        print(json.dumps({"type": "action", "id": message["id"], "action": found.get()}))
"""


class Mistake(NamedTuple):
    """A bot with one mistake."""

    title: str
    name: Name
    """Under which it is to be found."""
    old: str = ""
    new: str = ""
    """In place of ``old`` in PYTHON."""
    manifest: str = "command: [python3, main.py]"
    code: str = ""
    """In the line that mends it."""
    what: str = ""
    """In what happened."""
    plays: str = "{dragonheart: [2]}"
    wants: str = "[]"
    file: str = "main.py"
    program: str = PYTHON
    mode: int = stat.S_IRUSR | stat.S_IWUSR | stat.S_IRGRP | stat.S_IROTH
    alone: bool = False
    """True if this name and those in ``also`` are all that is to be found."""
    also: tuple[Name, ...] = ()
    sandboxed: bool = False
    """Whether it is one only where files and network are closed."""
    tool: str = ""
    """What it takes besides Python."""

    def write(self, folder: Path) -> Path:
        """The bot as a folder."""
        assert self.old in self.program
        home = folder / "bot"
        home.mkdir()
        home.chmod(0o755)
        program = self.program.replace(self.old, self.new) if self.old else self.program
        program = program.replace("wants=[]", f"wants={self.wants}")
        path = home / self.file
        path.write_bytes(program.encode())
        path.chmod(self.mode)
        text = f"bot: 1\nname: bot\nplays: {self.plays}\n{self.manifest}\n"
        (home / "bot.yaml").write_text(text, "utf-8")
        return home


_PRINT = "print(json.dumps(message), flush=True)"
_ACTION = 'send(type="action", id=message["id"], action=choose(message))'
_READY = 'send(type="ready", protocol=1, wants=[])'
_ID = 'id=message["id"]'
_LINES = "for line in sys.stdin:"
_OVER = '    elif message["type"] == "over":\n        end(message)\n'
_IMPORT = "import json, sys"
_SHEBANG = "#!/usr/bin/env python3"

_EXECUTABLE: Final = 0o755
_OWN: Final[dict[str, Any]] = {"manifest": "command: [./main.py]", "mode": _EXECUTABLE}
_BASH: Final[dict[str, Any]] = {
    "manifest": "command: [./main.sh]", "mode": _EXECUTABLE, "file": "main.sh", "program": SHELL,
}  # fmt: skip
_NODE: Final[dict[str, Any]] = {
    "manifest": "command: [node, main.js]", "file": "main.js", "tool": "node",
}  # fmt: skip
_GPP: Final[dict[str, Any]] = {
    "manifest": "build: [[g++, -O0, -o, main, main.cpp]]\ncommand: [./main]",
    "file": "main.cpp",
    "tool": "g++",
}


def _begins(title: str, name: Name, body: str, **terms: Any) -> Mistake:
    old = "def begin(message):\n    pass"
    return Mistake(title, name, old, f"def begin(message):\n    {body}", **terms)


def _chooses(title: str, name: Name, body: str, **terms: Any) -> Mistake:
    return Mistake(title, name, "    return 0\n", f"    {body}\n", **terms)


def _answers(title: str, name: Name, answer: str, **terms: Any) -> Mistake:
    return Mistake(title, name, _ACTION, answer, **terms)


def _ends(title: str, name: Name, body: str, **terms: Any) -> Mistake:
    return Mistake(title, name, "    pass\n\nfor line", f"    {body}\n\nfor line", **terms)


MISTAKES: Final = (
    Mistake("no flush", Name.NO_FLUSH, _PRINT, "print(json.dumps(message))", code="flush=True"),
    Mistake("no flush in C++", Name.NO_FLUSH, code="std::endl", program=CPP, **_GPP),
    Mistake(
        "reads to the end of its input",
        Name.READS_TO_END,
        _LINES,
        "for line in sys.stdin.read().splitlines():",
        code=_LINES,
    ),
    Mistake(
        "starts slowly",
        Name.SLOW_START,
        _READY,
        f"import time; time.sleep(6)\n        {_READY}",
        what="no line 3 s after its start",
    ),
    _chooses(
        "prints while it thinks",
        Name.PRINT,
        "print('thinking', flush=True)\n    return 0",
        code="file=sys.stderr",
        what="`thinking`",
    ),
    Mistake("logs to the console", Name.PRINT, code="console.error", program=JAVASCRIPT, **_NODE),
    Mistake(
        "prints a banner",
        Name.PRINT,
        _LINES,
        f"print('my bot 1.0', flush=True)\n{_LINES}",
        code="file=sys.stderr",
        what="`my bot 1.0`",
    ),
    _chooses(
        "an illegal action", Name.ILLEGAL_ACTION, "return 999", code="legal", what="(phase play)"
    ),
    _chooses(
        "an action of another phase",
        Name.ILLEGAL_ACTION,
        "return {'type': 'take', 'space': 'troll'}",
        what="not among the legal actions: {",
    ),
    Mistake(
        "not executable",
        Name.NOT_EXECUTABLE,
        _IMPORT,
        f"{_SHEBANG}\n{_IMPORT}",
        manifest="command: [./main.py]",
        code="chmod +x ./main.py",
    ),
    Mistake("no #! line", Name.NO_SHEBANG, what="has no #! line", code=_SHEBANG, **_OWN),
    Mistake(
        "a carriage return in the #! line",
        Name.CRLF_SHEBANG,
        _IMPORT,
        f"{_SHEBANG}\r\n{_IMPORT}",
        what="exit status 127",
        code="sed -i 's/\\r$//' ./main.py",
        **_OWN,
    ),
    Mistake(
        "a carriage return after the interpreter",
        Name.CRLF_SHEBANG,
        "#!/bin/bash\n",
        "#!/bin/bash\r\n",
        what="carriage return",
        code="sed -i",
        **_BASH,
    ),
    Mistake(
        "the program is not there",
        Name.PROGRAM_MISSING,
        manifest="command: [./mian.py]",
        what="./mian.py",
        code="command:",
    ),
    Mistake(
        "a version that is not there",
        Name.NEEDS_UNMET,
        manifest='command: [python3, main.py]\nneeds: {python3: "99"}',
        what="99",
    ),
    Mistake("a manifest with a typing error", Name.BAD_MANIFEST, manifest="comand: [python3, x]"),
    Mistake(
        "a build that fails",
        Name.BUILD_FAILED,
        manifest="build: [[python3, -c, \"raise SystemExit('no compiler')\"]]\n"
        "command: [python3, main.py]",
        what="no compiler",
    ),
    Mistake("never ready", Name.NO_READY, _READY, "pass", code="'ready'"),
    Mistake(
        "ready when the game begins",
        Name.READY_AFTER_START,
        f'        {_READY}\n    elif message["type"] == "start":\n        begin(message)',
        f'        pass\n    elif message["type"] == "start":\n        {_READY}',
        code="'hello'",
    ),
    Mistake(
        "protocol as text", Name.BAD_READY, "protocol=1", "protocol='1'", what="protocol is not 1"
    ),
    Mistake("wants what is not there", Name.BAD_READY, "wants=[]", "wants=['moves']", what="wants"),
    _begins("answers start", Name.ANSWERS_START, "send(type='started')", code="'act'"),
    _ends("answers over", Name.ANSWERS_OVER, "send(type='ready', protocol=1)", code="'act'"),
    Mistake(
        "answers start and over",
        Name.ANSWERS_START,
        f'        begin(message)\n    elif message["type"] == "act":\n        {_ACTION}\n{_OVER}',
        f'        send(type="ok")\n    elif message["type"] == "act":\n        {_ACTION}\n'
        + _OVER.replace("end(message)", 'send(type="ok")'),
        alone=True,
        also=(Name.ANSWERS_OVER,),
    ),
    Mistake(
        "answers by a timer",
        Name.WAITS,
        "    console.log('thinking', message.time_left);\n    send(",
        "    setTimeout(send, 2500, ",
        program=JAVASCRIPT,
        what="an answer came later",
        alone=True,
        **_NODE,
    ),
    _answers(
        "prints JSON with indentation",
        Name.SEVERAL_LINES,
        f"{_ACTION.replace('send(', 'print(json.dumps(dict(')}, indent=2), flush=True)",
        alone=True,
    ),
    Mistake(
        "a byte order mark before the #! line",
        Name.BOM_SHEBANG,
        _IMPORT,
        f"\ufeff{_SHEBANG}\n{_IMPORT}",
        code="sed -i '1s/^\\xEF\\xBB\\xBF//' ./main.py",
        alone=True,
        **_OWN,
    ),
    Mistake(
        "keeps the first id",
        Name.STALE_ID,
        _ID,
        'id=globals().setdefault("first", message["id"])',
        code="id=message['id']",
    ),
    Mistake("an id of its own", Name.WRONG_ID, _ID, 'id="1"'),
    Mistake("the id as a number", Name.ID_TYPE, _ID, 'id=int(message["id"], 16)'),
    _answers("answers twice", Name.ANSWERS_TWICE, f"{_ACTION}; {_ACTION}"),
    _answers(
        "answers twice, the second time later",
        Name.ANSWERS_TWICE,
        f"{_ACTION}; import time; time.sleep(0.05); {_ACTION}",
    ),
    Mistake("the action as text", Name.ACTION_TYPE, "=choose(message)", "=str(choose(message))"),
    _answers("the bare action", Name.NOT_AN_OBJECT, "print(0, flush=True)"),
    Mistake(
        "NaN in info",
        Name.NOT_A_NUMBER,
        "action=choose(message)",
        "action=0, info={'value': float('nan')}",
        code="isfinite",
    ),
    Mistake("a comma too many", Name.TRAILING_COMMA, tool="bash", **_BASH),
    _answers(
        "a dict as Python prints it",
        Name.PYTHON_REPR,
        "print({'type': 'action', 'id': message['id'], 'action': 0}, flush=True)",
        code="json.dumps",
    ),
    _answers(
        "not UTF-8",
        Name.NOT_UTF_8,
        'sys.stdout.buffer.write(b\'{"type":"action","id":"\' + message[\'id\'].encode() + '
        'b\'","action":0,"info":"f\\xfcr"}\\n\'); sys.stdout.flush()',
        code="utf-8",
    ),
    Mistake(
        "no line end", Name.NO_LINE_END, _PRINT, "print(json.dumps(message), end='', flush=True)"
    ),
    _chooses(
        "fails on an unknown field",
        Name.UNKNOWN_FIELD,
        "return answer(**message)\n\ndef answer(type, id, time_left):\n    return 0",
        what="unexpected keyword",
    ),
    Mistake(
        "fails on an unknown message",
        Name.UNKNOWN_MESSAGE,
        _OVER,
        '    elif message["type"] not in ("over", "bye"):\n'
        '        raise ValueError("what is " + message["type"])\n',
        code="'act'",
        what="what is",
    ),
    _begins(
        "remembers the last game",
        Name.LATER_GAME,
        "assert globals().setdefault('me', message['seat']) == message['seat']\n"
        "    assert games.append(1) or len(games) < 3\n\ngames = []",
        code="'start'",
    ),
    _answers(
        "waits for player 0",
        Name.OTHER_SEAT,
        f'if message["observation"]["player"] == 0:\n            {_ACTION}',
        code="seat",
        wants="['observation']",
    ),
    _begins(
        "two players",
        Name.TABLE_SIZE,
        "me, other = message['names']",
        plays="{dragonkrak: [2, 3, 4]}",
        code="message['seats']",
    ),
    _chooses(
        "plays another game than it says",
        Name.OTHER_GAME,
        "return 0 * len(message['observation']['ship_sets'] * 'x')",
        plays="{dragonheart: [2], dragonkrak: [2]}",
        wants="['observation']",
    ),
    _chooses(
        "a seed from the clock",
        Name.NOT_REPEATABLE,
        "import random, time\n"
        "    return random.Random(time.time_ns()).randrange(len(message['legal']))",
        code="message['seed']",
        wants="['legal']",
    ),
    _chooses(
        "too slow",
        Name.TOO_SLOW,
        "import time; end = time.process_time() + 2.5\n    while time.process_time() < end: pass\n"
        "    return 0",
        code="time_left",
        what="within 1 s",
    ),
    _chooses(
        "too much memory", Name.MEMORY, "return len([bytearray(1 << 28) for _ in range(20)]) * 0"
    ),
    _begins(
        "leaves a child",
        Name.LEAVES_PROCESSES,
        "import subprocess\n    subprocess.Popen(['sleep', '60'], stdin=subprocess.DEVNULL, "
        "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)",
    ),
    _begins(
        "writes beside itself",
        Name.WRITES_FILES,
        "open('log.txt', 'w').write('a game')",
        sandboxed=True,
    ),
    _begins(
        "looks something up",
        Name.NETWORK,
        "import urllib.request\n    urllib.request.urlopen('http://192.0.2.1/book', timeout=1)",
        sandboxed=True,
    ),
    _begins(
        "reads a file of its author",
        Name.READS_FILES,
        "open('/home/author/book.json')",
        sandboxed=True,
    ),
    Mistake(
        "a package that is not there",
        Name.MISSING_PACKAGE,
        _IMPORT,
        f"{_IMPORT}, no_such_package",
        what="no_such_package",
    ),
    Mistake(
        "wants what it does not use",
        Name.WANTS_UNUSED,
        wants="['observation', 'events']",
        code="wants=",
        what="events, observation",
    ),
    _ends("exits after over", Name.EXITS_AFTER_OVER, "sys.exit()"),
    _ends(
        "adds up scores that are not there",
        Name.OTHERS_FAULT,
        "sum(message['scores'])",
        alone=True,
        what="NoneType",
    ),
    Mistake(
        "takes each read for a message",
        Name.LINES_TOGETHER,
        code="readline",
        what="lines together: ",
        program=CHUNKS,
        **_NODE,
    ),
    Mistake(
        "looks for input before it reads a line",
        Name.LINES_TOGETHER,
        _LINES,
        "import select\n"
        "while select.select([sys.stdin], [], [])[0] and (line := sys.stdin.readline()):",
        code=_LINES,
    ),
    Mistake(
        "searches for text",
        Name.OTHER_SPELLING,
        "    message = json.loads(line)\n",
        '    assert \'"type":"\' in line\n    message = json.loads(line)\n',
        code="json.loads",
    ),
    Mistake(
        "a seed of 32 bits",
        Name.NUMBER_RANGE,
        'line.find("\\"act\\"")',
        'line.find("\\"seed\\":") != std::string::npos) {\n'
        '            std::srand(std::stoi(line.substr(line.find("\\"seed\\":") + 7)));\n'
        '        } else if (line.find("\\"act\\"")',
        code="std::stoull",
        what="std::out_of_range: stoi",
        program=CPP.replace("'\\n'", "std::endl"),
        **_GPP,
    ),
    _chooses("exits without a word", Name.EXITS, "sys.exit(3)", code="traceback"),
    _chooses("aborts", Name.SIGNAL, "import os; os.abort()", what="SIGABRT"),
    _chooses("an endless recursion", Name.STACK, "return choose(message)"),
    Mistake(
        "a thread that dies",
        Name.CRASH,
        program=THREAD,
        what="ran on after an error: ValueError: 'pass' is not in list",
    ),
    _begins(
        "keeps files open",
        Name.OPEN_FILES,
        "kept.extend(open('main.py') for _ in range(100))\n\nkept = []",
    ),
    _begins(
        "chooses its core",
        Name.NOT_PERMITTED,
        "import os; os.sched_setaffinity(0, {0})",
        sandboxed=True,
    ),
    Mistake(
        "takes each read for a line",
        Name.LONG_LINE,
        _LINES,
        "import os\nfor line in iter(lambda: os.read(0, 65536).decode(), ''):\n"
        "  for line in line.splitlines():",
    ),
)
