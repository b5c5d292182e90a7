'use strict';
// How the bot plays Dragonrealm. `arena rules dragonrealm` explains the game.

const { best } = require('./kit/loop');
/** @typedef {import('./kit/dragonrealm').Observation} Observation */
/** @typedef {import('./kit/dragonrealm').Action} Action */

/** @type {import('./kit/loop').Choose<Observation, Action>} */
function choose(observation, legal, game) {
  // 1. Dice show 1 to 4: how likely is it that they reach what is needed?
  // 2. A location pays when it is full: see its adventurers, spaces and reward.
  // 3. Enhancements are worth nothing here: say in worth() which to keep and when to use them.
  return best(legal, (action) => worth(observation, action)); // the index of the best action
}

// How good an action is: explores where the dice should do. To rest is worth 0.
function worth({ row, hand }, action) {
  switch (action.type) {
    case 'explore': {
      const place = row.find(({ id }) => id === action.location);
      return 5 * longest(hand, action.way) - 2 * place[action.way] - 2;
    }
    case 'play': return action.cards.length;
    case 'place': return action.adventurers;
    case 'reroll': // the dice that show less than is to be expected
      return action.dice.reduce((sum, face) => sum + 5 - 2 * face, 0);
    case 'academy': return -action.adventurers;
    default: return 0;
  }
}

// How many cards of the hand can be played together in this way, and so how many dice.
function longest(hand, way) {
  const run = (value) => (hand.some((card) => card.value === value) ? 1 + run(value + 1) : 0);
  const same = (key) => hand.map((one) => hand.filter((card) => card[key] === one[key]).length);
  if (way === 'sneak') return Math.max(...hand.map((card) => run(card.value)));
  return Math.max(...same(way === 'storm' ? 'suit' : 'value'));
}

module.exports = choose;
