import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { RuntimeSpec } from '@nodewright/containers/spec';
import { AdoptedChildren, openExitGuard } from '@nodewright/services';
import { ServiceLog } from '@nodewright/services/logs';
import { eventually } from '@nodewright/testkit';
import { createRuncRunner } from './runc-runner.ts';

const work = mkdtempSync(join(tmpdir(), 'daemon-container-'));
after(() => rmSync(work, { recursive: true }));
let count = 0;

const hasEnded = (pid: number) => {
  const path = `/proc/${pid}/stat`;
  return !existsSync(path) || / Z \d/.test(readFileSync(path, 'utf8'));
};
/** This process is not the first one, so it does not adopt the processes of the tests: another one reads their status. */
const children = (code: number) =>
  new AdoptedChildren(async () => ({ statusOfChild: (pid) => (hasEnded(pid) ? code << 8 : undefined) }));

const specOf = (path: string): RuntimeSpec => ({
  ociVersion: '1.0.2',
  process: {
    ...{ terminal: false, user: { uid: 50, gid: 50 }, args: ['node'], env: [], cwd: '/' },
    capabilities: { bounding: [], effective: [], permitted: [] },
    ...{ rlimits: [], noNewPrivileges: true },
  },
  root: { path, readonly: true },
  mounts: [],
  linux: {
    cgroupsPath: '/apid',
    namespaces: [],
    resources: { devices: [] },
    maskedPaths: [],
    readonlyPaths: [],
  },
});

/**
 * A runner with a program in place of runc that takes the same arguments, and starts `daemon`, a script of the shell, as runc
 * starts the program of a container.
 */
function runnerOf(daemon: string, change: { start?: string; code?: number; startsAhead?: boolean } = {}) {
  count += 1;
  const folder = join(work, String(count));
  const runc = join(work, `runc-${count}`);
  const start = change.start ?? `(${daemon}) & echo $! > "$8"`;
  // runc --root R run --detach --bundle B --pid-file P ID
  writeFileSync(runc, `#!/bin/sh\ntest "$3 $4 $9" = 'run --detach apid' || exit 9\n${start}\n`, {
    mode: 0o755,
  });
  const root = join(work, `root-${count}`);
  const done: string[] = [];
  const log = new ServiceLog('apid');
  const runner = createRuncRunner({
    ...{ id: 'apid', runc, folder, log, graceTimeoutMs: 5000 },
    spec: () => specOf(root),
    async openRoot(path) {
      done.push(`open ${path === root}`);
      return { [Symbol.asyncDispose]: async () => void done.push('close') };
    },
    async openCgroup() {
      done.push('open cgroup');
      return { add() {}, remove: async () => void done.push('remove cgroup') };
    },
    guard: openExitGuard(new EventEmitter()),
    children: children(change.code ?? 0),
    startsAhead: change.startsAhead === true,
  });
  return { runner, folder, root, done, log };
}

/** Runs until the end. */
async function outcome(runner: ReturnType<typeof runnerOf>['runner'], stop = new AbortController()) {
  const told: string[] = [];
  const error = await runner
    .run((event, message) => told.push(`${event}: ${message.replaceAll(/PID \d+/g, 'PID <n>')}`), stop.signal)
    .then(
      () => undefined,
      (thrown: Error) => thrown.message,
    );
  return { told, error };
}

/** The root outlasts the processes that use it. */
const whole = ['open true', 'open cgroup', 'remove cgroup', 'close'];
const started = 'run: Started task apid (PID <n>) for container apid';

test('a daemon in a container runs until it ends, and nothing of it is left', async () => {
  const { runner, folder, root, done, log } = runnerOf('echo hello; exec sleep 0.3');
  assert.equal(runner.text, 'Runc(apid)');
  const ended = outcome(runner);
  await eventually(() => log.lastBytes(100).length > 0, { what: 'output' });
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(statSync(join(folder, 'config.json')).mode & 0o777, 0o600);
  const config = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
  assert.deepEqual([config.root.path, config.process.user.uid], [root, 50]);
  assert.deepEqual(await ended, { told: [started], error: undefined });
  assert.deepEqual([existsSync(folder), done], [false, whole]);
  assert.deepEqual(await outcome(runner), { told: [started], error: undefined });
});

test('a daemon that fails reports its exit code with its last output', async () => {
  const { runner } = runnerOf('echo no certificate', { code: 3 });
  const error = 'task "apid" failed: exit code 3 (last log "no certificate")';
  assert.deepEqual(await outcome(runner), { told: [started], error });
});

test('a container that cannot be made fails with the words of runc', async () => {
  const { runner, done } = runnerOf('', { start: 'echo no such file >&2; exit 1' });
  const error = 'cannot start container "apid": exit status 1: no such file';
  assert.deepEqual(await outcome(runner), { told: [], error });
  assert.deepEqual(done, whole);
  const missing = runnerOf('');
  rmSync(join(work, `runc-${count}`));
  assert.match(
    String((await outcome(missing.runner)).error),
    /^cannot start container "apid": spawn .*ENOENT/,
  );
});

test('SIGTERM is repeated until the daemon has a handler for it', async () => {
  const late = `trap '' TERM; echo loading; sleep 0.2; exec ${process.execPath} -e "setTimeout(() => process.on('SIGTERM', () => process.exit()), 200); setInterval(() => {}, 1000)"`;
  const { runner, log } = runnerOf(late);
  const stop = new AbortController();
  const ended = outcome(runner, stop);
  await eventually(() => log.lastBytes(100).length > 0, { what: 'output' });
  stop.abort();
  const signal = 'signal: Sending SIGTERM to task apid (PID <n>, container apid)';
  assert.deepEqual(await ended, { told: [started, signal], error: undefined });
});

test('a container that was started ahead is taken over by the run', async () => {
  const { runner, log, done } = runnerOf('echo once; exec sleep 0.5', { startsAhead: true });
  const over = runner.startAhead?.(new AbortController().signal);
  await eventually(() => log.lastBytes(100).length > 0, { what: 'output' });
  assert.deepEqual(await outcome(runner), { told: [started], error: undefined });
  await over;
  assert.deepEqual([String(log.lastBytes(100)), done], ['once\n', whole]);
});
