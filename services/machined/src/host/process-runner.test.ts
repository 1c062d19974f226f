import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, test } from 'node:test';
import type { Runner } from '../domain/runner.ts';
import { openExitGuard } from './exit-guard.ts';
import { ServiceLog } from './log-store.ts';
import { createProcessRunner } from './process-runner.ts';

const workingDirectory = mkdtempSync(`${tmpdir()}/runner-`);
after(() => rmSync(workingDirectory, { recursive: true }));

function runnerOf(script: string, change: { program?: string; graceTimeoutMs?: number } = {}) {
  const log = new ServiceLog('apid');
  const guard = openExitGuard(new EventEmitter());
  const runner = createProcessRunner({
    argv: [change.program ?? process.execPath, '-e', script],
    workingDirectory,
    environment: () => ({ PATH: process.env.PATH, GREETING: 'hello' }),
    log,
    guard,
    graceTimeoutMs: change.graceTimeoutMs ?? 5000,
  });
  return { runner, log };
}

/** Runs until the end; `onRun` is told the PID. */
async function outcome(runner: Runner, stop = new AbortController(), onRun?: (pid: number) => void) {
  const told: string[] = [];
  const error = await runner
    .run((event, message) => {
      told.push(`${event}: ${message.replace(runner.text, '<runner>').replace(/PID \d+/, 'PID <n>')}`);
      if (event === 'run') onRun?.(Number(/PID (\d+)/.exec(message)?.[1]));
    }, stop.signal)
    .then(
      () => undefined,
      (thrown: Error) => thrown.message,
    );
  return { told, error };
}

const started = 'run: Process <runner> started with PID <n>';
const isGone = (pid: number) => {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
};

test('a process runs in its folder with its environment, and its output is its log', async () => {
  const { runner, log } = runnerOf(
    'console.log(process.cwd(), process.env.GREETING, process.env.HOME); console.error("e")',
  );
  assert.deepEqual(await outcome(runner), { told: [started], error: undefined });
  assert.deepEqual(log.lastBytes(1000).toString().trim().split('\n').sort(), [
    `${workingDirectory} hello undefined`,
    'e',
  ]);
});

test('a process that fails is reported with its exit code and its last lines', async () => {
  const { runner } = runnerOf('console.error("no certificate"); process.exit(3)');
  assert.equal((await outcome(runner)).error, 'exit status 3 (last log "no certificate")');
});

test('a process that is killed is reported with the signal', async () => {
  const { runner } = runnerOf('setInterval(() => {}, 1000)');
  const { error } = await outcome(runner, undefined, (pid) => process.kill(pid, 'SIGKILL'));
  assert.equal(error, 'signal: killed');
});

test('a program that is not there is named', async () => {
  const { runner } = runnerOf('', { program: '/no/such/program' });
  const { told, error } = await outcome(runner);
  assert.deepEqual(told, []);
  assert.match(error ?? '', /^cannot start "\/no\/such\/program": .*ENOENT/);
});

test('a process that is no longer wanted gets SIGTERM, and its end is no failure', async () => {
  const { runner, log } = runnerOf(
    'process.on("SIGTERM", () => { console.log("bye"); process.exit(7); }); setInterval(() => {}, 1000); console.log("up")',
  );
  const stop = new AbortController();
  const stopWhenUp = setInterval(() => log.ring.endOffset > 0 && stop.abort(), 5);
  const result = await outcome(runner, stop);
  clearInterval(stopWhenUp);
  assert.deepEqual(result, { told: [started, 'signal: Sending SIGTERM to <runner>'], error: undefined });
  assert.equal(log.lastBytes(100).toString(), 'up\nbye\n');
});

test('a process that does not listen is killed after the grace time', async () => {
  const { runner, log } = runnerOf(
    'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")',
    {
      graceTimeoutMs: 50,
    },
  );
  const stop = new AbortController();
  let pid = 0;
  const stopWhenUp = setInterval(() => log.ring.endOffset > 0 && stop.abort(), 5);
  const result = await outcome(runner, stop, (number) => {
    pid = number;
  });
  clearInterval(stopWhenUp);
  assert.deepEqual(result.told.slice(1), [
    'signal: Sending SIGTERM to <runner>',
    'signal: Sending SIGKILL to <runner>',
  ]);
  assert.ok(isGone(pid));
});

test('a process whose own child keeps the pipe open does not hold up its end', async () => {
  const { runner, log } = runnerOf(
    'const left = require("child_process").spawn("sleep", ["60"], { stdio: "inherit", detached: true });' +
      'console.log(left.pid); process.exit(1)',
  );
  const startedMs = performance.now();
  const { error } = await outcome(runner);
  const left = Number(log.lastBytes(100).toString());
  process.kill(left, 'SIGKILL');
  assert.equal(error, `exit status 1 (last log "${left}")`);
  assert.ok(performance.now() - startedMs < 30_000);
});

test('the exit guard kills what still runs when its process ends, and nothing that ended before', () => {
  const host = new EventEmitter();
  const killed: number[] = [];
  const kill = (pid: number) => {
    killed.push(pid);
    if (pid === 2) throw new Error('gone');
    return true;
  };
  using guard = openExitGuard(host, kill as typeof process.kill);
  guard.watch(1)();
  guard.watch(2);
  guard.watch(3);
  host.emit('exit');
  assert.deepEqual(killed, [2, 3]);
});
