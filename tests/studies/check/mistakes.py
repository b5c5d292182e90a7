"""Mistakes of beginners: each a small bot, with the name under which a check has to find it."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Final, NamedTuple

from arena.studies.check.finding import Name

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


_PASS = "    pass\n\ndef choose"
_CHOOSE = "    return 0\n"
_END = "    pass\n\nfor line"
_PRINT = "print(json.dumps(message), flush=True)"
_ACTION = 'send(type="action", id=message["id"], action=choose(message))'
_READY = 'send(type="ready", protocol=1, wants=[])'
_EXECUTABLE: Final = 0o755
_OWN = "command: [./main.py]"

MISTAKES: Final = (
    Mistake("no flush", Name.NO_FLUSH, _PRINT, "print(json.dumps(message))", code="flush=True"),
    Mistake(
        "no flush in C++",
        Name.NO_FLUSH,
        manifest="build: [[g++, -O0, -o, main, main.cpp]]\ncommand: [./main]",
        code="std::endl",
        file="main.cpp",
        program=CPP,
        tool="g++",
    ),
    Mistake(
        "reads to the end of its input",
        Name.READS_TO_END,
        "for line in sys.stdin:",
        "for line in sys.stdin.read().splitlines():",
        code="for line in sys.stdin:",
    ),
    Mistake(
        "starts slowly",
        Name.SLOW_START,
        f"        {_READY}",
        f"        import time; time.sleep(6)\n        {_READY}",
        what="no line 3 s after its start",
    ),
    Mistake(
        "prints while it thinks",
        Name.PRINT,
        _CHOOSE,
        "    print('thinking', flush=True)\n    return 0\n",
        code="file=sys.stderr",
        what="`thinking`",
    ),
    Mistake(
        "logs to the console",
        Name.PRINT,
        manifest="command: [node, main.js]",
        code="console.error",
        file="main.js",
        program=JAVASCRIPT,
        tool="node",
    ),
    Mistake(
        "prints a banner",
        Name.PRINT,
        "for line in sys.stdin:",
        "print('my bot 1.0', flush=True)\nfor line in sys.stdin:",
        code="file=sys.stderr",
        what="`my bot 1.0`",
    ),
    Mistake(
        "an illegal action",
        Name.ILLEGAL_ACTION,
        _CHOOSE,
        "    return 999\n",
        code="legal",
        what="(phase play)",
    ),
    Mistake(
        "an action of another phase",
        Name.ILLEGAL_ACTION,
        _CHOOSE,
        "    return {'type': 'take', 'space': 'troll'}\n",
        what="not among the legal actions: {",
    ),
    Mistake(
        "not executable",
        Name.NOT_EXECUTABLE,
        "import json, sys",
        "#!/usr/bin/env python3\nimport json, sys",
        manifest=_OWN,
        code="chmod +x ./main.py",
    ),
    Mistake(
        "no #! line",
        Name.NO_SHEBANG,
        manifest=_OWN,
        mode=_EXECUTABLE,
        what="has no #! line",
        code="#!/usr/bin/env python3",
    ),
    Mistake(
        "a carriage return in the #! line",
        Name.CRLF_SHEBANG,
        "import json, sys",
        "#!/usr/bin/env python3\r\nimport json, sys",
        manifest=_OWN,
        mode=_EXECUTABLE,
        what="exit status 127",
        code="sed -i 's/\\r$//' ./main.py",
    ),
    Mistake(
        "a carriage return after the interpreter",
        Name.CRLF_SHEBANG,
        "#!/bin/bash\n",
        "#!/bin/bash\r\n",
        manifest="command: [./main.sh]",
        mode=_EXECUTABLE,
        file="main.sh",
        program=SHELL,
        what="carriage return",
        code="sed -i",
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
    Mistake(
        "answers start",
        Name.ANSWERS_START,
        "def begin(message):\n    pass",
        "def begin(message):\n    send(type='started')",
        code="'act'",
    ),
    Mistake(
        "answers over",
        Name.ANSWERS_OVER,
        _END,
        "    send(type='ready', protocol=1)\n\nfor line",
        code="'act'",
    ),
    Mistake(
        "answers start and over",
        Name.ANSWERS_START,
        f'        begin(message)\n    elif message["type"] == "act":\n        {_ACTION}\n'
        '    elif message["type"] == "over":\n        end(message)\n',
        f'        send(type="ok")\n    elif message["type"] == "act":\n        {_ACTION}\n'
        '    elif message["type"] == "over":\n        send(type="ok")\n',
        alone=True,
        also=(Name.ANSWERS_OVER,),
    ),
    Mistake(
        "answers by a timer",
        Name.TOO_SLOW,
        manifest="command: [node, main.js]",
        file="main.js",
        program=JAVASCRIPT.replace(
            "    console.log('thinking', message.time_left);\n    send(",
            "    setTimeout(send, 2500, ",
        ),
        what="an answer came later",
        code="performance.now()",
        alone=True,
        tool="node",
    ),
    Mistake(
        "prints JSON with indentation",
        Name.SEVERAL_LINES,
        _ACTION,
        f"{_ACTION.replace('send(', 'print(json.dumps(dict(')}, indent=2), flush=True)",
        alone=True,
    ),
    Mistake(
        "a byte order mark before the #! line",
        Name.BOM_SHEBANG,
        "import json, sys",
        "\ufeff#!/usr/bin/env python3\nimport json, sys",
        manifest=_OWN,
        mode=_EXECUTABLE,
        code="sed -i '1s/^\\xEF\\xBB\\xBF//' ./main.py",
        alone=True,
    ),
    Mistake(
        "keeps the first id",
        Name.STALE_ID,
        'id=message["id"]',
        'id=globals().setdefault("first", message["id"])',
        code="id=message['id']",
    ),
    Mistake("an id of its own", Name.WRONG_ID, 'id=message["id"]', 'id="1"'),
    Mistake("the id as a number", Name.ID_TYPE, 'id=message["id"]', 'id=int(message["id"], 16)'),
    Mistake("answers twice", Name.ANSWERS_TWICE, _ACTION, f"{_ACTION}; {_ACTION}"),
    Mistake(
        "answers twice, the second time later",
        Name.ANSWERS_TWICE,
        _ACTION,
        f"{_ACTION}; import time; time.sleep(0.05); {_ACTION}",
    ),
    Mistake("the action as text", Name.ACTION_TYPE, "=choose(message)", "=str(choose(message))"),
    Mistake("the bare action", Name.NOT_AN_OBJECT, _ACTION, "print(0, flush=True)"),
    Mistake(
        "NaN in info",
        Name.NOT_A_NUMBER,
        "action=choose(message)",
        "action=0, info={'value': float('nan')}",
        code="isfinite",
    ),
    Mistake(
        "a comma too many",
        Name.TRAILING_COMMA,
        manifest="command: [./main.sh]",
        file="main.sh",
        program=SHELL,
        mode=_EXECUTABLE,
        tool="bash",
    ),
    Mistake(
        "a dict as Python prints it",
        Name.PYTHON_REPR,
        _ACTION,
        "print({'type': 'action', 'id': message['id'], 'action': 0}, flush=True)",
        code="json.dumps",
    ),
    Mistake(
        "not UTF-8",
        Name.NOT_UTF_8,
        _ACTION,
        'sys.stdout.buffer.write(b\'{"type":"action","id":"\' + message[\'id\'].encode() + '
        'b\'","action":0,"info":"f\\xfcr"}\\n\'); sys.stdout.flush()',
        code="utf-8",
    ),
    Mistake(
        "no line end",
        Name.NO_LINE_END,
        _PRINT,
        "print(json.dumps(message), end='', flush=True)",
    ),
    Mistake(
        "fails on an unknown field",
        Name.UNKNOWN_FIELD,
        _CHOOSE,
        "    return answer(**message)\n\ndef answer(type, id, time_left):\n    return 0\n",
        what="unexpected keyword",
    ),
    Mistake(
        "fails on an unknown message",
        Name.UNKNOWN_MESSAGE,
        '    elif message["type"] == "over":\n        end(message)\n',
        '    elif message["type"] not in ("over", "bye"):\n'
        '        raise ValueError("what is " + message["type"])\n',
        code="'act'",
        what="what is",
    ),
    Mistake(
        "remembers the last game",
        Name.LATER_GAME,
        f"def begin(message):\n{_PASS}",
        "def begin(message):\n    assert globals().setdefault('me', message['seat']) == "
        "message['seat']\n    assert games.append(1) or len(games) < 3\n\n"
        "games = []\n\ndef choose",
        code="'start'",
    ),
    Mistake(
        "waits for player 0",
        Name.OTHER_SEAT,
        f"        {_ACTION}",
        f'        if message["observation"]["player"] == 0:\n            {_ACTION}',
        code="seat",
        wants="['observation']",
    ),
    Mistake(
        "two players",
        Name.TABLE_SIZE,
        f"def begin(message):\n{_PASS}",
        "def begin(message):\n    me, other = message['names']\n\ndef choose",
        plays="{dragonkrak: [2, 3, 4]}",
        code="message['seats']",
    ),
    Mistake(
        "plays another game than it says",
        Name.OTHER_GAME,
        _CHOOSE,
        "    return 0 * len(message['observation']['ship_sets'] * 'x')\n",
        plays="{dragonheart: [2], dragonkrak: [2]}",
        wants="['observation']",
    ),
    Mistake(
        "a seed from the clock",
        Name.NOT_REPEATABLE,
        _CHOOSE,
        "    import random, time\n"
        "    return random.Random(time.time_ns()).randrange(len(message['legal']))\n",
        code="message['seed']",
        wants="['legal']",
    ),
    Mistake(
        "too slow",
        Name.TOO_SLOW,
        _CHOOSE,
        "    import time; time.sleep(2.5)\n    return 0\n",
        code="time_left",
        what="within 1 s",
    ),
    Mistake(
        "too much memory",
        Name.MEMORY,
        _CHOOSE,
        "    return len([bytearray(1 << 28) for _ in range(20)]) * 0\n",
    ),
    Mistake(
        "leaves a child",
        Name.LEAVES_PROCESSES,
        f"def begin(message):\n{_PASS}",
        "def begin(message):\n    import subprocess\n    subprocess.Popen(['sleep', '60'], "
        "stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n\n"
        "def choose",
    ),
    Mistake(
        "writes beside itself",
        Name.WRITES_FILES,
        f"def begin(message):\n{_PASS}",
        "def begin(message):\n    open('log.txt', 'w').write('a game')\n\ndef choose",
        sandboxed=True,
    ),
    Mistake(
        "looks something up",
        Name.NETWORK,
        f"def begin(message):\n{_PASS}",
        "def begin(message):\n    import urllib.request\n"
        "    urllib.request.urlopen('http://192.0.2.1/book', timeout=1)\n\ndef choose",
        sandboxed=True,
    ),
    Mistake(
        "reads a file of its author",
        Name.READS_FILES,
        f"def begin(message):\n{_PASS}",
        "def begin(message):\n    open('/home/author/book.json')\n\ndef choose",
        sandboxed=True,
    ),
    Mistake(
        "a package that is not there",
        Name.MISSING_PACKAGE,
        "import json, sys",
        "import json, sys, no_such_package",
        what="no_such_package",
    ),
    Mistake(
        "wants what it does not use",
        Name.WANTS_UNUSED,
        "wants=[]",
        "wants=['observation', 'events']",
        code="wants=",
        what="events, observation",
    ),
    Mistake("exits after over", Name.EXITS_AFTER_OVER, _END, "    sys.exit()\n\nfor line"),
    Mistake(
        "adds up scores that are not there",
        Name.OTHERS_FAULT,
        _END,
        "    sum(message['scores'])\n\nfor line",
        alone=True,
        what="NoneType",
    ),
    Mistake(
        "takes each read for a message",
        Name.LINES_TOGETHER,
        manifest="command: [node, main.js]",
        code="readline",
        what="lines together: ",
        file="main.js",
        program=CHUNKS,
        tool="node",
    ),
    Mistake(
        "looks for input before it reads a line",
        Name.LINES_TOGETHER,
        "for line in sys.stdin:\n",
        "import select\n"
        "while select.select([sys.stdin], [], [])[0] and (line := sys.stdin.readline()):\n",
        code="for line in sys.stdin:",
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
        manifest="build: [[g++, -O0, -o, main, main.cpp]]\ncommand: [./main]",
        code="std::stoull",
        what="std::out_of_range: stoi",
        file="main.cpp",
        program=CPP.replace("'\\n'", "std::endl"),
        tool="g++",
    ),
    Mistake("exits without a word", Name.EXITS, _CHOOSE, "    sys.exit(3)\n", code="traceback"),
    Mistake("aborts", Name.SIGNAL, _CHOOSE, "    import os; os.abort()\n", what="SIGABRT"),
    Mistake("an endless recursion", Name.STACK, _CHOOSE, "    return choose(message)\n"),
    Mistake(
        "a thread that dies",
        Name.CRASH,
        program=THREAD,
        what="ran on after an error: ValueError: 'pass' is not in list",
    ),
    Mistake(
        "keeps files open",
        Name.OPEN_FILES,
        f"def begin(message):\n{_PASS}",
        "kept = []\n\ndef begin(message):\n    kept.extend(open('main.py') for _ in range(100))\n\n"
        "def choose",
    ),
    Mistake(
        "chooses its core",
        Name.NOT_PERMITTED,
        f"def begin(message):\n{_PASS}",
        "def begin(message):\n    import os; os.sched_setaffinity(0, {0})\n\ndef choose",
        sandboxed=True,
    ),
    Mistake(
        "takes each read for a line",
        Name.LONG_LINE,
        "for line in sys.stdin:",
        "import os\nfor line in iter(lambda: os.read(0, 65536).decode(), ''):\n"
        "  for line in line.splitlines():",
    ),
)
