'use strict';
// Speaks with the referee, so that your files need not.

const fs = require('fs');
const readline = require('readline');
const util = require('util');
const messages = require('./messages');

/**
 * What there is to know besides the observation.
 * @typedef {object} Game
 * @property {import('./messages').Start} start seats, options, card data and clock of this game
 * @property {function(): number} random a number from 0 to 1, the same when the game is played again
 * @property {<T>(name: string, other: T) => T} option an option of the bot; `other` where none is set
 * @property {?number} time_left seconds that this answer may take; null: no limit
 * @property {object} act the question as it came, with `events` if they are asked for below
 * @property {Info} info what to keep with this answer; empty again at each question
 */

/**
 * What is kept with an answer and shown beside it. What is not set is left out.
 * @typedef {object} Info
 * @property {number} [eval] how good it looks for you; more is better
 * @property {string} [text]
 * @property {Object<number, number>} [p] by index of a legal action a share from 0 to 1
 * @property {number} [nodes]
 */

/**
 * The index of the action to play.
 * @template Observation, Action
 * @typedef {(observation: Observation, legal: Action[], game: Game) => number} Choose
 */

// The index of the action that is worth most; of equal ones the first.
function best(legal, worth) {
  const worths = legal.map(worth);
  return worths.indexOf(Math.max(...worths));
}

// Mulberry32, a small generator in the public domain.
function randomFrom(seed) {
  let state = seed % 4294967296;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

// Plays games until there are no more. `games`: by name the types and the choice of each.
function play(name, games) {
  // What is printed goes to standard error. A child process that inherits descriptor 1 still has
  // the wire: start it with stdio 'pipe', which is the default of most, or ['pipe', 2, 2].
  Object.defineProperty(process, 'stdout', { get: () => process.stderr });
  const send = (message) => {
    let rest = Buffer.from(`${JSON.stringify(message)}\n`);
    while (rest.length > 0) rest = rest.subarray(fs.writeSync(1, rest));
  };

  let game;
  readline.createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.type === 'hello') {
      send({ type: 'ready', protocol: 1, name, wants: ['observation', 'legal'] });
    } else if (message.type === 'start') {
      const start = messages.Start(message);
      const option = (key, other) => (start.bot_options || {})[key] ?? other;
      game = { start, random: randomFrom(start.seed), option };
    } else if (message.type === 'act') {
      const { types, choose } = games[game.start.rules];
      Object.assign(game, { time_left: message.time_left, act: message, info: {} });
      const observation = types.Observation(message.observation);
      const action = choose(observation, message.legal.map(types.Action), game);
      if (!Number.isInteger(action)) {
        const found = util.inspect(action, { breakLength: Infinity, compact: true }).slice(0, 80);
        const expected = `expected the index of an action: 0 to ${message.legal.length - 1}`;
        console.error(`TypeError: in ${game.start.rules}, choose returned ${found}, ${expected}`);
        process.exit(1);
      }
      const info = Object.keys(game.info).length > 0 ? game.info : undefined;
      send({ type: 'action', id: message.id, action, info });
    }
  });
}

module.exports = { best, play };
