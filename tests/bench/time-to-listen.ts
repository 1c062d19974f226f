import { spawn } from 'node:child_process';
import { connect, type NetConnectOpts } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long the wait between two tries to connect is, in milliseconds: the resolution of the measurement. */
const pollMs = 2;
const giveUpMs = 10_000;

/** Whether a server listens there. */
export function canConnect(target: NetConnectOpts): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(target, () => resolve(true));
  socket.on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}

/**
 * Time from the start of the process until its listener accepts a connection, in milliseconds. The process is
 * then stopped.
 */
export async function timeToListen(
  command: readonly string[],
  target: NetConnectOpts,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<number> {
  const [program = '', ...args] = command;
  const start = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: environment });
  let said = '';
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    while (!(await canConnect(target))) {
      if (child.exitCode !== null || performance.now() - start > giveUpMs) {
        throw new Error(`${command.join(' ')} does not listen: ${said}`);
      }
      await sleep(pollMs);
    }
    return performance.now() - start;
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

/** Time from the start of the process to its exit, in milliseconds. */
export async function timeToRun(command: readonly string[]): Promise<number> {
  const [program = '', ...args] = command;
  const start = performance.now();
  const child = spawn(program, args, { stdio: 'ignore' });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}`);
  return performance.now() - start;
}
