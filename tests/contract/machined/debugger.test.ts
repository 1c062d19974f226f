// What a program on the machine can do with SIGUSR1, which starts the debugger of Node.js in a process that allows it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { test } from 'node:test';
import { eventually, startLoneNode } from '@nodewright/testkit';
import { machinedCommand } from '../../../packages/provision/src/supervisor/machined-command.ts';

/** The TCP sockets on which a process listens, by address and port in hex. */
function listeners(pid: number): string[] {
  const own = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
    } catch {
      return []; // It was closed meanwhile.
    }
  });
  const rows = readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  return rows
    .filter(([, , , state, , , , , , inode]) => state === '0A' && own.includes(`socket:[${inode}]`))
    .map(([, address = '']) => address)
    .sort();
}

/** A process without the flag. Its debugger opens after that of a process that got the signal before. */
async function opensDebugger(): Promise<void> {
  const child = spawn(process.execPath, [
    '--inspect-port=0',
    '-e',
    'console.log(1); setInterval(() => {}, 1000)',
  ]);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  try {
    const shows = (pattern: RegExp) => eventually(() => pattern.test(output), { what: String(pattern) });
    await shows(/^1$/m);
    child.kill('SIGUSR1');
    await shows(/Debugger listening on/);
    assert.equal(listeners(child.pid ?? 0).length, 1);
  } finally {
    child.kill('SIGKILL');
  }
}

test('SIGUSR1 opens no debugger in machined and in its daemons, and ends none of them', async () => {
  const command = machinedCommand({ name: 'node01', type: 'controlplane', address: '127.0.0.1' }, '/', {
    ...{ servicesFolder: '/', nodeBinary: '/' },
  });
  const script = command.findIndex((word) => word.endsWith('.cjs'));
  await using node = await startLoneNode({ nodeFlags: command.slice(1, script) });
  const output = () => node.machined.stdout();
  const pids = [
    node.machined.pid,
    ...[...output().matchAll(/started with PID (\d+)/g)].map(([, pid]) => Number(pid)),
  ];
  assert.ok(pids.length >= 4, `${pids.length} processes`);
  const before = pids.map((pid) => [pid, listeners(pid)]);
  for (const pid of pids) process.kill(pid, 'SIGUSR1');
  await opensDebugger();
  assert.deepEqual(
    pids.map((pid) => [pid, listeners(pid)]),
    before,
  );
});
