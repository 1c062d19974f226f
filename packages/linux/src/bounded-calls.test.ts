import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Timers } from '@nodewright/async';
import fc from 'fast-check';
import { boundedCallLimit, createBoundedCalls, threadPoolSize } from './bounded-calls.ts';

/** Timers that fire when the test says so. */
function openTimers() {
  const due = new Set<() => void>();
  const timers: Timers = {
    now: () => 0,
    monotonicMs: () => 0,
    after(_delayMs, action) {
      due.add(action);
      return { [Symbol.dispose]: () => void due.delete(action) };
    },
  };
  const fireAll = () => {
    for (const action of [...due]) {
      due.delete(action);
      action();
    }
  };
  return { timers, fireAll };
}

const settle = () => new Promise((resume) => setImmediate(resume));

test('createBoundedCalls() never exceeds its limits, ends every wait, and runs again when places answer', async () => {
  const limit = 3;
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('call' as const), place: fc.nat(4) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('finish' as const), place: fc.nat(4) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('answer' as const), which: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'time' as const }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { timers, fireAll } = openTimers();
      const calls = createBoundedCalls({ limit, timers });
      const running: { readonly place: number; readonly answer: () => void }[] = [];
      const counts = { asked: 0, ended: 0, finishes: 0, finished: 0 };
      const work = (place: number) => () => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const answer = () => {
          running.splice(running.indexOf(one), 1);
          resolve();
        };
        const one = { place, answer };
        running.push(one);
        assert.ok(running.length <= limit);
        assert.ok(running.filter((other) => other.place === place).length <= 2);
        return promise;
      };
      for (const each of steps) {
        if (each.kind === 'call') {
          counts.asked += 1;
          const end = () => {
            counts.ended += 1;
          };
          calls.run(`place ${each.place}`, work(each.place)).then(end, end);
        } else if (each.kind === 'finish') {
          counts.finishes += 1;
          const finished = async () => {
            await work(each.place)();
            counts.finished += 1;
          };
          calls.finish(`place ${each.place}`, finished);
        } else if (each.kind === 'answer') {
          running[each.which % Math.max(running.length, 1)]?.answer();
        } else {
          fireAll();
          await settle();
          assert.equal(counts.ended, counts.asked);
          assert.equal(calls.isStuck, running.length > 0);
        }
        await settle();
      }
      while (running.length > 0) {
        running[0]?.answer();
        await settle();
      }
      assert.deepEqual([counts.ended, counts.finished], [counts.asked, counts.finishes]);
      assert.equal(calls.isStuck, false);
      assert.equal(await calls.run('place 0', async () => 7), 7);
    }),
    { numRuns: 200, seed: 44 },
  );
});

test('a call that is over its time names the place, and what it returns later is released', async () => {
  const { timers, fireAll } = openTimers();
  const overdue: string[] = [];
  const calls = createBoundedCalls({
    timers,
    timeoutMs: 5000,
    onOverdue: (place) => void overdue.push(place),
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  const released: number[] = [];
  const release = (descriptor: number) => void released.push(descriptor);
  const refused = assert.rejects(
    calls.run('the disk "/dev/x"', () => promise, { release }),
    { kind: 'deadline-exceeded', message: 'the disk "/dev/x" did not answer within 5000 ms' },
  );
  fireAll();
  await refused;
  assert.deepEqual([overdue, released], [['the disk "/dev/x"'], []]);
  resolve(12);
  await settle();
  assert.deepEqual(released, [12]);
});

test('a place whose calls are all over their time is not asked again, and neither is any without a free thread', async () => {
  const { timers, fireAll } = openTimers();
  const calls = createBoundedCalls({ limit: 3, timers });
  const never = () => new Promise<void>(() => {});
  const hanging = ['a', 'a', 'b'].map((place) =>
    assert.rejects(calls.run(place, never), { kind: 'deadline-exceeded' }),
  );
  fireAll();
  await Promise.all(hanging);
  let isAsked = false;
  const ask = async () => {
    isAsked = true;
  };
  await assert.rejects(calls.run('a', ask), {
    message: 'a does not answer: earlier calls to it still wait',
  });
  await assert.rejects(calls.run('c', ask), { message: 'c cannot be asked: no answer from a, b' });
  assert.equal(isAsked, false);
});

test('with all calls of both kinds hanging, reading a file and looking up a name go on', (context) => {
  // Each kind of calls occupies its threads; the rest is for files and names.
  assert.ok(2 * boundedCallLimit <= threadPoolSize - 4);
  const folder = mkdtempSync(join(tmpdir(), 'bounded-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const module = JSON.stringify(join(import.meta.dirname, 'bounded-calls.ts'));
  // Nobody writes to the pipes: opening one never returns.
  const program = `
    import { createBoundedCalls, setThreadPoolSize } from ${module};
    setThreadPoolSize();
    const { open, readFile } = await import('node:fs/promises');
    const { lookup } = await import('node:dns/promises');
    const { execFileSync } = await import('node:child_process');
    const pipes = Array.from({ length: 20 }, (_, index) => ${JSON.stringify(folder)} + '/pipe' + index);
    execFileSync('mkfifo', pipes);
    const kinds = [createBoundedCalls({ timeoutMs: 50 }), createBoundedCalls({ timeoutMs: 50 })];
    const asked = kinds.flatMap((calls) => pipes.map((pipe) => calls.run(pipe, () => open(pipe, 'r'))));
    const kind = ({ reason }) => reason?.kind;
    const outcomes = new Set((await Promise.allSettled(asked)).map(kind));
    const text = (await readFile('/proc/self/comm', 'utf8')).trim() !== '';
    const { address } = await lookup('localhost', 4);
    process.stdout.write(JSON.stringify([[...outcomes], text, address]));
    // The process does not end by itself.
    process.kill(process.pid, 'SIGKILL');
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  assert.equal(stdout, '[["deadline-exceeded"],true,"127.0.0.1"]', stderr);
});
