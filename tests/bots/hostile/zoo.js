// Hostile bots for Node. Started as `node zoo.js NAME`. Plays the first legal action but for the
// one thing its name tells.
const { createInterface } = require('node:readline');
const { spawn } = require('node:child_process');
const net = require('node:net');
const { Worker } = require('node:worker_threads');

const name = process.argv[2];
const send = (message) => process.stdout.write(JSON.stringify(message) + '\n');
const tell = (outcome, detail) => process.stderr.write(`ATTACK ${outcome} ${detail}\n`);

const starts = {
  takes_memory({ memory }) {
    try {
      const held = [];
      for (let taken = 0; taken < memory * 1.5; taken += 1 << 26) held.push(Buffer.alloc(1 << 26, 1));
      tell('ok', `${held.length * 64} MiB`);
    } catch (error) {
      tell('blocked', error.message);
    }
  },
  starts_threads({ processes }) {
    let failed = 0;
    for (let i = 0; i < processes; i += 1) {
      const worker = new Worker('setTimeout(() => {}, 600000)', { eval: true });
      worker.on('error', () => { failed += 1; });
      worker.unref();
    }
  },
  leaves_a_child() {
    spawn('sleep', ['600'], { detached: true, stdio: 'ignore', env: {} }).unref();
  },
  connects_by_tcp({ tcp }) {
    const connection = net.connect(tcp, '127.0.0.1', () => {
      tell('ok', 'connected');
      connection.destroy();
      proceed();
    });
    connection.on('error', (error) => {
      tell('blocked', error.code);
      proceed();
    });
    return 'wait';
  },
};

const acts = {
  floods_without_a_line_end() {
    const flood = () => process.stdout.write('x'.repeat(1 << 16), flood);
    flood();
    return 'silent';
  },
  throws() {
    throw new Error('out of ideas');
  },
  never_answers_asynchronously() {
    setInterval(() => {}, 1000);
    return 'silent';
  },
};

// A question that comes while a start is still at work waits for it.
let working = false;
let waiting = null;
const proceed = () => {
  working = false;
  if (waiting) answer(waiting);
};
const answer = (message) => {
  if (working) {
    waiting = message;
  } else if (!acts[name] || acts[name]() !== 'silent') {
    send({ type: 'action', id: message.id, action: 0 });
  }
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'hello') send({ type: 'ready', protocol: 1 });
  if (message.type === 'start' && starts[name]) working = starts[name](message.bot_options) === 'wait';
  if (message.type === 'act') answer(message);
  if (message.type === 'bye' && name !== 'stays_after_bye') process.exit();
});
if (name === 'stays_after_bye') setInterval(() => {}, 1000);
