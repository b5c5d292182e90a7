'use strict';
// Turns JSON into what a game's file says: fields that are absent get their empty value, and
// cards their parts. What it does not say is left out.

const plain = (empty) => (json) => (json === undefined || json === null ? empty : json);

const record = (fields) => (json) => {
  const made = {};
  for (const [name, read] of Object.entries(fields)) made[name] = read(json[name]);
  return made;
};

module.exports = {
  text: plain(''),
  whole: plain(0),
  number: plain(0),
  flag: plain(false),
  any: plain(null),
  record,
  list: (read) => (json) => (json || []).map(read),
  map: (read) => (json) =>
    Object.fromEntries(Object.entries(json || {}).map(([key, each]) => [key, read(each)])),
  maybe: (read) => (json) => (json === undefined || json === null ? null : read(json)),
  // A card is a text of two parts, of which the second is a number, or else counts as 0.
  card: (first, second) => (json) => {
    const [before, ...behind] = json.split(':');
    const number = behind.join(':');
    return { text: json, [first]: before, [second]: /^[0-9]{1,9}$/.test(number) ? Number(number) : 0 };
  },
  // One of several by its type; only that is read of one which this kit does not know.
  choice: (kinds) => (json) => ({ type: json.type, ...(kinds[json.type] || record({}))(json) }),
};
