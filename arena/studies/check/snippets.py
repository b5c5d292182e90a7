"""Lines of code for findings, by language, that show a fix in the language of the bot."""

from __future__ import annotations

from typing import Final

from arena.studies.check.languages import AdviceLanguage

_PY, _JS, _C, _CPP = (
    AdviceLanguage.PYTHON,
    AdviceLanguage.JAVASCRIPT,
    AdviceLanguage.C,
    AdviceLanguage.CPP,
)
_RUST, _GO, _JAVA = AdviceLanguage.RUST, AdviceLanguage.GO, AdviceLanguage.JAVA

FLUSH: Final = {
    _PY: "print(json.dumps(message), flush=True)",
    _JS: "process.stdout.write(JSON.stringify(message) + '\\n');",
    _C: "puts(line); fflush(stdout);",
    _CPP: "std::cout << line << std::endl;",
    _RUST: 'writeln!(out, "{line}").unwrap(); out.flush().unwrap();',
    _GO: "fmt.Fprintln(out, line); out.Flush()",
    _JAVA: "System.out.println(line); System.out.flush();",
}
READ_LINES: Final = {
    _PY: "for line in sys.stdin:",
    _JS: "require('readline').createInterface({ input: process.stdin }).on('line', answer);",
    _C: "char *line = NULL; size_t size = 0; while (getline(&line, &size, stdin) > 0)",
    _CPP: "for (std::string line; std::getline(std::cin, line);)",
    _RUST: "for line in std::io::stdin().lock().lines() { let line = line.unwrap();",
    _GO: "for { line, err := reader.ReadString('\\n'); if err != nil { return }",
    _JAVA: "for (String line; (line = reader.readLine()) != null;)",
}
TO_STDERR: Final = {
    _PY: "print(text, file=sys.stderr)",
    _JS: "console.error(text);",
    _C: 'fprintf(stderr, "%s\\n", text);',
    _CPP: "std::cerr << text << std::endl;",
    _RUST: 'eprintln!("{text}");',
    _GO: "fmt.Fprintln(os.Stderr, text)",
    _JAVA: "System.err.println(text);",
}
ENCODE: Final = {
    _PY: "print(json.dumps({'type': 'action', 'id': message['id'], 'action': index}), flush=True)",
    _JS: "console.log(JSON.stringify({ type: 'action', id: message.id, action: index }));",
    _C: 'printf("{\\"type\\":\\"action\\",\\"id\\":\\"%s\\",\\"action\\":%d}\\n", id, index); '
    "fflush(stdout);",
    _CPP: 'std::cout << "{\\"type\\":\\"action\\",\\"id\\":\\"" << id << "\\",\\"action\\":" '
    '<< index << "}" << std::endl;',
    _RUST: 'println!(r#"{{"type":"action","id":"{id}","action":{index}}}"#);',
    _GO: 'json.NewEncoder(os.Stdout).Encode(map[string]any{"type": "action", "id": id, '
    '"action": index})',
    _JAVA: 'System.out.printf("{\\"type\\":\\"action\\",\\"id\\":\\"%s\\",\\"action\\":%d}%n", '
    "id, index); System.out.flush();",
}
READY: Final = {
    _PY: "if message['type'] == 'hello': "
    "print(json.dumps({'type': 'ready', 'protocol': 1}), flush=True)",
    _JS: "if (message.type === 'hello') "
    "console.log(JSON.stringify({ type: 'ready', protocol: 1 }));",
    _C: 'if (strcmp(type, "hello") == 0) '
    r'{ puts("{\"type\":\"ready\",\"protocol\":1}"); fflush(stdout); }',
    _CPP: 'if (type == "hello") std::cout << R"({"type":"ready","protocol":1})" << std::endl;',
    _RUST: 'if kind == "hello" { println!(r#"{{"type":"ready","protocol":1}}"#); }',
    _GO: 'if kind == "hello" { fmt.Println(`{"type":"ready","protocol":1}`) }',
    _JAVA: 'if (type.equals("hello")) '
    'System.out.println("{\\"type\\":\\"ready\\",\\"protocol\\":1}");',
}
ONLY_ACT: Final = {
    _PY: "elif message['type'] == 'act': answer(message)  # and nothing for any other type",
    _JS: "else if (message.type === 'act') answer(message);  // nothing for any other type",
    _C: 'else if (strcmp(type, "act") == 0) answer(message);  /* nothing for any other type */',
    _CPP: 'else if (type == "act") answer(message);  // nothing for any other type',
    _RUST: '"act" => answer(&message), _ => {}',
    _GO: 'case "act": answer(message) // and no default',
    _JAVA: 'case "act" -> answer(message); default -> { }',
}
LENIENT: Final = {
    _PY: "Move(**{key: value for key, value in data.items() if key in Move.__annotations__})",
    _JS: "const { hand, board } = message.observation;  // take what you know",
    _C: 'hand = find(observation, "hand");  /* take what you know */',
    _CPP: 'auto hand = observation.at("hand");  // take what you know',
    _RUST: "// serde: no #[serde(deny_unknown_fields)]",
    _GO: "json.Unmarshal(line, &message) // no DisallowUnknownFields",
    _JAVA: "@JsonIgnoreProperties(ignoreUnknown = true)",
}
RESET: Final = {
    _PY: "if message['type'] == 'start': game = Game(message)  # all that is remembered, anew",
    _JS: "if (message.type === 'start') game = new Game(message);",
    _C: 'if (strcmp(type, "start") == 0) memset(&game, 0, sizeof game);',
    _CPP: 'if (type == "start") game = Game(message);',
    _RUST: '"start" => game = Game::new(&message),',
    _GO: 'case "start": game = NewGame(message)',
    _JAVA: 'case "start" -> game = new Game(message);',
}
SEAT: Final = {
    _PY: "seat = message['seat']  # of start; then hand_sizes[seat], not hand_sizes[0]",
    _JS: "seat = message.seat;  // of start; then handSizes[seat], not handSizes[0]",
    _C: 'seat = number(message, "seat");  /* of start */',
    _CPP: 'seat = message.at("seat");  // of start',
    _RUST: 'let seat = message["seat"];  // of start',
    _GO: "seat := message.Seat // of start",
    _JAVA: 'int seat = message.get("seat");  // of start',
}
SEATS: Final = {
    _PY: "others = [s for s in range(message['seats']) if s != message['seat']]",
    _JS: "const others = [...Array(message.seats).keys()].filter((s) => s !== message.seat);",
    _C: "for (int other = 0; other < seats; ++other) if (other != seat)",
    _CPP: "for (int other = 0; other < seats; ++other) if (other != seat)",
    _RUST: "for other in (0..seats).filter(|&s| s != seat) {",
    _GO: "for other := 0; other < seats; other++ { if other == seat { continue }",
    _JAVA: "for (int other = 0; other < seats; other++) if (other != seat)",
}
STAY: Final = {
    _PY: "elif message['type'] == 'over': game = None  # no sys.exit(), no break",
    _JS: "else if (message.type === 'over') game = null;  // no process.exit()",
    _C: 'else if (strcmp(type, "over") == 0) continue;  /* no return, no exit() */',
    _CPP: 'else if (type == "over") continue;  // no return, no exit()',
    _RUST: '"over" => {}  // no return, no std::process::exit',
    _GO: 'case "over": // no return, no os.Exit',
    _JAVA: 'case "over" -> { }  // no return, no System.exit',
}
LONG: Final = {
    _PY: "for line in sys.stdin:  # takes lines of any length",
    _JS: "require('readline').createInterface({ input: process.stdin })",
    _C: "getline(&line, &size, stdin)  /* not fgets into a char buffer[65536] */",
    _CPP: "std::getline(std::cin, line)  // not a char buffer[65536]",
    _RUST: "reader.read_line(&mut line)",
    _GO: "bufio.NewReader(os.Stdin).ReadString('\\n') // a Scanner stops at 64 KiB",
    _JAVA: "new BufferedReader(new InputStreamReader(System.in, UTF_8)).readLine()",
}
SEED: Final = {
    _PY: "rng = random.Random(message['seed'])  # of start; no random.random(), no time()",
    _JS: "const random = generator(message.seed);  // of start; no Math.random()",
    _C: 'uint64_t state = number(message, "seed");  /* of start; no time() */',
    _CPP: 'std::mt19937_64 rng(message.at("seed"));  // of start; no std::random_device',
    _RUST: "let mut rng = Rng::new(seed);  // of start",
    _GO: "rng := rand.New(rand.NewSource(seed)) // of start",
    _JAVA: "Random random = new Random(seed);  // of start",
}
INDEX: Final = {
    _PY: "index = message['legal'].index(chosen)  # raises where it is not legal",
    _JS: "const index = legal.findIndex(isChosen);  // -1 is not legal",
    _C: "assert(index >= 0 && index < legal_count);",
    _CPP: "assert(index >= 0 && index < legal.size());",
    _RUST: "let index = legal.iter().position(is_chosen).unwrap();",
    _GO: "if index < 0 || index >= len(legal) { index = 0 }",
    _JAVA: "int index = Math.max(0, legal.indexOf(chosen));",
}
COPY_ID: Final = {
    _PY: "send(type='action', id=message['id'], action=index)",
    _JS: "send({ type: 'action', id: message.id, action: index });",
    _C: 'snprintf(id, sizeof id, "%s", text(message, "id"));',
    _CPP: 'std::string id = message.at("id");',
    _RUST: 'let id = message["id"].as_str();',
    _GO: 'Id string `json:"id"`',
    _JAVA: 'String id = message.get("id");',
}
BEGIN_EARLY: Final = {
    _PY: "deadline = time.monotonic() + 0.8 * message['time_left']",
    _JS: "const deadline = performance.now() + 800 * message.time_left;",
    _C: "clock_gettime(CLOCK_MONOTONIC, &begun);  /* stop 0.8 * time_left seconds later */",
    _CPP: "auto deadline = steady_clock::now() + duration<double>(0.8 * time_left);",
    _RUST: "let deadline = Instant::now() + Duration::from_secs_f64(0.8 * time_left);",
    _GO: "deadline := time.Now().Add(time.Duration(0.8 * timeLeft * float64(time.Second)))",
    _JAVA: "long deadline = System.nanoTime() + (long) (0.8e9 * timeLeft);",
}
WANTS: Final = {
    _PY: "send(type='ready', protocol=1, wants=['observation', 'legal'])",
    _JS: "send({ type: 'ready', protocol: 1, wants: ['observation', 'legal'] });",
    _C: r'puts("{\"type\":\"ready\",\"protocol\":1,\"wants\":[\"observation\",\"legal\"]}");',
    _CPP: R'R"({"type":"ready","protocol":1,"wants":["observation","legal"]})"',
    _RUST: 'r#"{"type":"ready","protocol":1,"wants":["observation","legal"]}"#',
    _GO: '`{"type":"ready","protocol":1,"wants":["observation","legal"]}`',
    _JAVA: r'"{\"type\":\"ready\",\"protocol\":1,\"wants\":[\"observation\",\"legal\"]}"',
}
CHILD_QUIET: Final = {
    _PY: "subprocess.run(words, stdout=sys.stderr, timeout=0.5)",
    _JS: "spawn(name, words, { stdio: ['pipe', 'pipe', 'inherit'], detached: false });",
    _C: "kill(child, SIGKILL); waitpid(child, NULL, 0);",
    _CPP: "kill(child, SIGKILL); waitpid(child, nullptr, 0);",
    _RUST: "child.kill().unwrap(); child.wait().unwrap();",
    _GO: "defer child.Process.Kill()",
    _JAVA: "child.destroyForcibly();",
}
OWN_FILE: Final = {
    _PY: "open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'book.json'))",
    _JS: "fs.readFileSync(path.join(__dirname, 'book.json'))",
    _C: 'FILE *book = fopen("book.json", "r");  /* in the folder of bot.yaml */',
    _CPP: 'std::ifstream book("book.json");  // in the folder of bot.yaml',
    _RUST: 'include_str!("book.json")',
    _GO: "//go:embed book.json",
    _JAVA: 'Path.of("book.json")  // in the folder of bot.yaml',
}
CATCH: Final = {
    _PY: "try: index = choose(message)\nexcept Exception: traceback.print_exc(); index = 0",
    _JS: "try { index = choose(message); } catch (e) { console.error(e); index = 0; }",
    _C: 'if (choose(message, &index) != 0) { fprintf(stderr, "no choice\\n"); index = 0; }',
    _CPP: "try { index = choose(message); } "
    "catch (const std::exception& e) { std::cerr << e.what() << std::endl; index = 0; }",
    _RUST: 'let index = choose(&message).unwrap_or_else(|e| { eprintln!("{e}"); 0 });',
    _GO: "defer func() { if e := recover(); e != nil { fmt.Fprintln(os.Stderr, e); answer(id, 0) } "
    "}()",
    _JAVA: "try { index = choose(message); } "
    "catch (RuntimeException e) { e.printStackTrace(); index = 0; }",
}
