import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Replaces the bundle of a daemon: logs that it runs, listens on the daemon's port of the node's address, and
 * obeys a file that a test writes next to its runtime socket. It is a real program that machined runs with
 * the real permissions.
 */
const source = `
const { readFileSync } = require('node:fs');
const { createServer } = require('node:net');
const { dirname, join } = require('node:path');
const folder = dirname(process.argv[process.argv.indexOf('--runtime-socket') + 1]);
const server = createServer((socket) => socket.destroy());
server.listen(__filename.endsWith('apid.cjs') ? 50000 : 50001, ADDRESS, () => console.log('fake daemon listens'));
console.error('fake daemon runs ' + JSON.stringify({ pid: process.pid, cwd: process.cwd(), execArgv: process.execArgv,
  traceparent: process.env.TRACEPARENT, proxy: process.env.HTTPS_PROXY, marker: process.env.MARKER }));
process.on('SIGTERM', () => {
  if (order() === 'ignore-sigterm') return;
  console.log('fake daemon stops');
  process.exit(0);
});
function order() {
  try { return readFileSync(join(folder, 'order'), 'utf8'); } catch { return ''; }
}
let printed = 0;
setInterval(() => {
  const [verb, value] = order().split(' ');
  if (verb === 'exit') { console.log('going down with ' + value); process.exit(Number(value)); }
  if (verb === 'print') while (printed < Number(value)) console.log('line ' + printed++);
  if (verb === 'deaf') server.close();
}, 20);
`;

const dist = join(import.meta.dirname, '..', '..', '..', '..', '_out', 'dist');

/** Makes a services folder with this program as apid and as trustd, for the node at `address`. */
export function writeFakeDaemons(folder: string, address: string): string {
  for (const name of ['apid', 'trustd']) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, `${name}.cjs`), source.replace('ADDRESS', JSON.stringify(address)));
  }
  // The real one: machined reads the devices from it.
  cpSync(join(dist, 'udevd-bridge'), join(folder, 'udevd-bridge'), { recursive: true });
  return folder;
}
