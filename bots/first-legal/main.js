// Always plays the first legal action. Node, no packages.
const { createInterface } = require('node:readline');

const send = (message) => process.stdout.write(JSON.stringify(message) + '\n');

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'hello') {
    send({ type: 'ready', protocol: 1, name: 'first-legal', version: '1.0.0', wants: [] });
  } else if (message.type === 'act') {
    send({ type: 'action', id: message.id, action: 0 });
  } else if (message.type === 'bye') {
    process.exit();
  }
});
