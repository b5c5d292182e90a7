// Always plays the last legal action. Node, no packages.
const { createInterface } = require('node:readline');

const send = (message) => process.stdout.write(JSON.stringify(message) + '\n');

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'hello') {
    send({ type: 'ready', protocol: 1, name: 'last-legal', version: '1.0.0', wants: ['legal'] });
  } else if (message.type === 'act') {
    send({ type: 'action', id: message.id, action: message.legal.length - 1 });
  } else if (message.type === 'bye') {
    process.exit();
  }
});
