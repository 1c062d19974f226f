import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { eventually } from '@nodewright/testkit';
import { restartRunner } from '../domain/restart-runner.ts';
import type { Runner } from '../domain/runner.ts';
import { ServiceLog } from '../logs/host/log-store.ts';
import { openExitGuard } from './exit-guard.ts';
import { createProcessRunner } from './process-runner.ts';
import { createServiceCgroups, type ServiceCgroup } from './service-cgroups.ts';

const workingDirectory = mkdtempSync(`${tmpdir()}/runner-`);
after(() => rmSync(workingDirectory, { recursive: true }));

function runnerOf(
  script: string,
  change: {
    program?: string;
    graceTimeoutMs?: number;
    oomScoreAdjust?: number;
    leavesDescendants?: boolean;
    startsAhead?: boolean;
    cgroup?: () => Promise<ServiceCgroup>;
  } = {},
) {
  const log = new ServiceLog('apid');
  const guard = openExitGuard(new EventEmitter());
  const runner = createProcessRunner({
    argv: [change.program ?? process.execPath, '-e', script],
    workingDirectory,
    environment: () => ({ PATH: process.env.PATH, GREETING: 'hello' }),
    log,
    guard,
    ...change,
    graceTimeoutMs: change.graceTimeoutMs ?? 5000,
  });
  return { runner, log };
}

/** Runs until the end; `onRun` receives the PID. */
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

test('a program that does not exist is named', async () => {
  const { runner } = runnerOf('', { program: '/no/such/program' });
  const { told, error } = await outcome(runner);
  assert.deepEqual(told, []);
  assert.match(error ?? '', /^cannot start "\/no\/such\/program": .*ENOENT/);
});

test('a process that is stopped gets SIGTERM, and its end is no failure', async () => {
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

test('a process that ignores SIGTERM is killed after the grace time', async () => {
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

test('a process whose child keeps the pipe open still counts as ended', async () => {
  const { runner, log } = runnerOf(
    'const left = require("child_process").spawn("sleep", ["60"], { stdio: "inherit", detached: true });' +
      'console.log(left.pid); process.exit(1)',
  );
  const startedMs = performance.now();
  const { error } = await outcome(runner);
  const left = Number(log.lastBytes(100).toString());
  assert.equal(error, `exit status 1 (last log "${left}")`);
  assert.ok(hasEnded(left), 'what the process left behind runs on');
  assert.ok(performance.now() - startedMs < 30_000);
});

test('the exit guard kills what still runs when its process exits, and nothing that ended before', () => {
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

/** A process that has ended may still wait to be reaped by its new parent. */
function hasEnded(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}

test('the descendants of a process are killed when it ends by itself or is stopped', async () => {
  // In its own session, with its output elsewhere: only the environment identifies it.
  const script = (end: string) => `
    const options = { detached: true, stdio: 'ignore' };
    const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], options);
    child.unref();
    ${end}
    console.log('child ' + child.pid);`;
  const childIn = (log: ServiceLog) => Number(/child (\d+)/.exec(log.lastBytes(1000).toString())?.[1]);
  const alone = runnerOf(script(''));
  assert.equal((await outcome(alone.runner)).error, undefined);
  assert.ok(childIn(alone.log) > 0);
  // The kernel ends a killed process at its next turn on a processor.
  await eventually(() => hasEnded(childIn(alone.log)), { what: 'end of the child' });

  const leaving = runnerOf(script(''), { leavesDescendants: true });
  assert.equal((await outcome(leaving.runner)).error, undefined);
  assert.equal(hasEnded(childIn(leaving.log)), false);
  process.kill(childIn(leaving.log), 'SIGKILL');

  const stubborn = runnerOf(script("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);"), {
    graceTimeoutMs: 200,
  });
  const stop = new AbortController();
  const running = outcome(stubborn.runner, stop);
  await eventually(() => childIn(stubborn.log) > 0, { what: 'grandchild' });
  stop.abort();
  const { told, error } = await running;
  assert.deepEqual(
    [error, told.slice(1)],
    [undefined, ['signal: Sending SIGTERM to <runner>', 'signal: Sending SIGKILL to <runner>']],
  );
  await eventually(() => hasEnded(childIn(stubborn.log)), { what: 'end of the grandchild' });
});

test('a process whose OOM score cannot be lowered runs anyway', async () => {
  const { runner, log } = runnerOf(
    "console.log('score ' + require('node:fs').readFileSync('/proc/self/oom_score_adj', 'utf8'))",
    { oomScoreAdjust: 300 },
  );
  assert.equal((await outcome(runner)).error, undefined);
  assert.match(log.lastBytes(1000).toString(), /score (300|\d+)/);
});

test('a crash loop costs almost nothing: the pauses grow, and no run leaves anything behind', async () => {
  const { runner, log } = runnerOf('console.log("run"); process.exit(7)');
  const pauses: number[] = [];
  const stop = new AbortController();
  const loop = restartRunner(runner, {
    ...{ policy: 'forever', intervalMs: 5000, now: () => performance.now() },
    // The pauses of a day take no time.
    sleep: async (ms) => {
      pauses.push(ms);
      if (pauses.length === 12) stop.abort();
    },
  });
  const before = process.cpuUsage();
  await outcome(loop, stop);
  const { user, system } = process.cpuUsage(before);
  assert.deepEqual(pauses, [
    ...[5000, 5000, 5000, 5000, 5000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000, 60_000],
  ]);
  assert.equal(log.lastBytes(1000).toString().split('run').length - 1, 12);
  // A day has less than two thousand runs.
  const runCpuMs = (user + system) / 1000 / pauses.length;
  assert.ok(runCpuMs < 250, `${runCpuMs} ms of this process a run`);
});

test('a process whose cgroup neither accepts it nor ends is run, ended and started again anyway', async () => {
  const { runner, log } = runnerOf('console.log("last words"); process.exit(3)', {
    cgroup: async () => ({
      add() {
        throw new Error('EBUSY');
      },
      async remove() {
        throw new Error('it does not end');
      },
    }),
  });
  const { told, error } = await outcome(runner);
  // A failure to configure a service that crashed must not prevent its restart.
  assert.deepEqual(told, [started]);
  assert.match(error ?? '', /^exit status 3 \(last log ".*last words"\)$/);
  assert.match(
    log.lastBytes(2000).toString(),
    /^process \d+ has no cgroup of its own: EBUSY\nlast words\ncannot remove the cgroup of process \d+: it does not end\n$/,
  );
});

/** A version 2 cgroup of the test, if the machine permits it. */
function ownCgroup(): string | undefined {
  const mounts = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].filter((path) =>
    existsSync(`${path}/cgroup.procs`),
  );
  for (const mount of mounts) {
    const folder = `${mount}/nodewright-test-${process.pid}`;
    try {
      mkdirSync(folder);
      if (existsSync(`${folder}/cgroup.kill`)) return folder;
      rmdirSync(folder);
    } catch {
      // It may be read-only.
    }
  }
  return undefined;
}

const cgroup = ownCgroup();
after(() => {
  if (cgroup !== undefined) rmdirSync(cgroup);
});
const noCgroup = cgroup === undefined ? 'this machine has no cgroup of version 2 for the test' : false;

test('a run has a cgroup of its own, and its end kills all processes in it', { skip: noCgroup }, async () => {
  using cgroups = createServiceCgroups({ folder: `${cgroup}/node` });
  // It clears its environment, so only the cgroup identifies it.
  const { runner, log } = runnerOf(
    `const options = { detached: true, stdio: 'ignore', env: {} };
    const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], options);
    child.unref();
    const place = (pid) => require('node:fs').readFileSync('/proc/' + pid + '/cgroup', 'utf8').match(/^0::(.*)$/m)[1];
    setTimeout(() => console.log('child ' + child.pid + ' in ' + place('self') + ' ' + place(child.pid)), 200);`,
    { cgroup: () => cgroups.open('system/apid') },
  );
  assert.deepEqual(await outcome(runner), { told: [started], error: undefined });
  const said = /child (\d+) in (\S+)/.exec(log.lastBytes(1000).toString());
  assert.match(said?.[2] ?? '', /\/node\/system\/apid$/);
  assert.ok(hasEnded(Number(said?.[1])));
  assert.deepEqual(readdirSync(`${cgroup}/node`).includes('system'), false);
});

test('a process that was started ahead is taken over by the run', async () => {
  const { runner, log } = runnerOf('console.log(process.pid); setInterval(() => {}, 1000)', {
    startsAhead: true,
  });
  const signal = new AbortController();
  const over = runner.startAhead?.(signal.signal);
  await eventually(() => log.lastBytes(100).length > 0, { what: 'output' });
  const pid = Number(String(log.lastBytes(100)));
  const stop = new AbortController();
  const pids: number[] = [];
  const ended = outcome(runner, stop, (own) => pids.push(own));
  await over;
  // From here on the run alone ends it.
  signal.abort();
  await setTimeout(100);
  assert.deepEqual([pids, isGone(pid)], [[pid], false]);
  stop.abort();
  const { told, error } = await ended;
  assert.deepEqual([told[0], error, isGone(pid)], [started, undefined, true]);
});

test('a process that was started ahead ends when its service no longer wants it', async () => {
  const { runner, log } = runnerOf('console.log(process.pid); setInterval(() => {}, 1000)', {
    startsAhead: true,
  });
  const signal = new AbortController();
  const over = runner.startAhead?.(signal.signal);
  await eventually(() => log.lastBytes(100).length > 0, { what: 'output' });
  signal.abort();
  await over;
  assert.ok(isGone(Number(String(log.lastBytes(100)))));
});

test('a run begins anew when the process that was started ahead has ended or never began', async () => {
  const { runner, log } = runnerOf('console.log("once")', { startsAhead: true });
  await runner.startAhead?.(new AbortController().signal);
  assert.deepEqual(await outcome(runner), { told: [started], error: undefined });
  assert.equal(String(log.lastBytes(100)), 'once\nonce\n');
  const missing = runnerOf('', { program: '/does/not/exist', startsAhead: true }).runner;
  await missing.startAhead?.(new AbortController().signal);
  assert.match(String((await outcome(missing)).error), /^cannot start "\/does\/not\/exist"/);
});
