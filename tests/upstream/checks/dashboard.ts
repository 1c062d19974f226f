// The dashboard needs a terminal, which `script` provides.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../check.ts';
import { clientProgram } from '../run-client.ts';
import type { Subject } from '../subject.ts';

const deadlineMs = 120_000;
const controlC = '\u0003';

async function run({ folder, node, fill }: Subject): Promise<void> {
  const command = `stty cols 120 rows 40; exec ${clientProgram} -n ${node.name} dashboard`;
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TALOSCONFIG: join(folder, 'admin'), TERM: 'xterm-256color' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
  });
  const ended = once(child, 'close') as Promise<[number | null]>;
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const kill = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
  const hasDrawn = () => screen.includes(node.name) && /v1\.14/.test(screen);
  while (!hasDrawn() && !isOver) await sleep(50);
  child.stdin.write(controlC);
  const [exitCode] = await ended;
  clearTimeout(kill);
  assert.ok(hasDrawn(), `${fill('{node}')} and its version on the screen:\n${screen.slice(-3000)}`);
  assert.equal(exitCode, 0);
}

export const dashboardChecks: readonly Check[] = [
  { command: 'dashboard', says: 'draws the node on a terminal, and ends with Ctrl-C', run },
];
