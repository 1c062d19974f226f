import { spawnSync } from 'node:child_process';

/** Connects so often, and resets each connection at once. Exits when all of them are closed. */
const program = `
  const { connect } = require('node:net');
  const [port, count] = process.argv.slice(1).map(Number);
  for (let index = 0; index < count; index += 1) {
    const socket = connect(port, '127.0.0.1', () => socket.resetAndDestroy());
  }
`;

/**
 * Makes connections to a listener of this process and resets them before it can accept them: this process waits meanwhile. The system
 * tells no address of such a connection. `count` must be below the backlog of the listener.
 */
export function resetBeforeAccept(port: number, count: number): void {
  const { status, stderr } = spawnSync(process.execPath, ['-e', program, String(port), String(count)]);
  if (status !== 0) throw new Error(`the program that connects has failed: ${stderr}`);
}
