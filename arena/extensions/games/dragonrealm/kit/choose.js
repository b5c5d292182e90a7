'use strict';
// How the bot plays Dragonrealm. `arena rules dragonrealm` explains the game.

const { best } = require('./kit/loop');
/** @typedef {import('./kit/dragonrealm').Observation} Observation */
/** @typedef {import('./kit/dragonrealm').Action} Action */

/** @type {import('./kit/loop').Choose<Observation, Action>} */
function choose(observation, legal, game) {
  // 1. To sneak takes cards of consecutive values: dice() does not find them yet.
  // 2. A location pays when it is full: see its adventurers, spaces and reward.
  // 3. Enhancements are worth nothing here: say in worth() which to keep, when to use them.
  return best(legal, (action) => worth(observation, action)); // the index of the best action
}

// How good an action is: explores where the dice should do. To rest is worth 0.
function worth({ row, hand }, action) {
  if (action.type === 'explore') {
    const place = row.find(({ id }) => id === action.location);
    return 5 * dice(hand, action.way) - 2 * place[action.way] - 2; // a die shows two and a half
  }
  return action.type === 'play' ? action.cards.length : 0;
}

// How many cards of the hand can be played together in this way: one die for each.
function dice(hand, way) {
  if (way === 'sneak') return 1;
  const alike = hand.map((card) => (way === 'storm' ? card.suit : card.value));
  return Math.max(...alike.map((one) => alike.filter((other) => other === one).length));
}

module.exports = choose;
