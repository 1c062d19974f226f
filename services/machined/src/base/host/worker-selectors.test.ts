import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createWorkerSelectors, selectorLimits } from './worker-selectors.ts';

const folder = mkdtempSync(join(tmpdir(), 'selectors-'));
after(() => rmSync(folder, { recursive: true }));

const { signal } = new AbortController();
const disks = Array.from({ length: 64 }, (_, index) => ({
  name: `/dev/sd${index}`,
  variables: { disk: { dev_path: `/dev/sd${index}`, size: index * 1e9 }, system_disk: index === 0 },
}));
const requestOf = (expression: string) => ({ environment: 'disk' as const, expression, candidates: disks });
/** A busy machine gives a thread little processor time. */
const patient = { ...selectorLimits, deadlineMs: 900_000 };

/** Runs for years. */
const runaway = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].reduce(
  (body, name) => `[${Array.from({ length: 40 }, (_, index) => index).join()}].all(${name}, ${body})`,
  'a + b + c + d + e + f + g + h >= 0',
);

/** The longest processor time between two turns of the event loop, in milliseconds. */
function watchTurns(): { stop(): number } {
  const used = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let [last, longest] = [used(), 0];
  const look = () => {
    const now = used();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const looks = setInterval(look, 1);
  return {
    stop() {
      clearInterval(looks);
      look();
      return longest;
    },
  };
}

/** Lets another program answer in place of the evaluator. */
function selectorsOf(program: string, limits = patient) {
  const file = join(folder, `worker-${Math.random()}.mjs`);
  writeFileSync(file, `import { parentPort } from 'node:worker_threads';\n${program}`);
  return createWorkerSelectors({ file, limits });
}

test('a runaway expression is ended and named, the event loop turns meanwhile, and the next one is evaluated', async () => {
  const selectors = createWorkerSelectors({ limits: { ...patient, processorMs: 300 } });
  const turns = watchTurns();
  const selection = await selectors.select(requestOf(runaway), signal);
  const longest = turns.stop();
  assert.ok('problem' in selection);
  assert.match(
    selection.problem,
    /^the selector "\[0,1,2,.*…" takes more than 0\.3 s of processor time for 64 objects$/,
  );
  assert.ok(longest < 50, `the event loop was busy for ${longest} ms without a turn`);
  assert.deepEqual(await selectors.select(requestOf('disk.size > 60u * GB'), signal), {
    selected: ['/dev/sd61', '/dev/sd62', '/dev/sd63'],
  });
});

test('an expression that needs too much memory is named, and the process survives', async () => {
  const selectors = selectorsOf('const kept = []; for (;;) kept.push(new Array(100_000).fill({}));');
  assert.deepEqual(await selectors.select(requestOf('true'), signal), {
    problem: 'the selector "true" needs more than 64 MB of memory',
  });
});

test('a thread without processor time is given up after the deadline, and can be asked again', async () => {
  const selectors = selectorsOf('setInterval(() => {}, 1000);', { ...selectorLimits, deadlineMs: 200 });
  const asked = () =>
    selectors.select(requestOf('true'), signal).catch(({ kind, message }) => ({ kind, message }));
  const failure = { kind: 'resource-exhausted', message: 'the selector "true" has no result after 0.2 s' };
  assert.deepEqual(await asked(), failure);
  assert.deepEqual(await asked(), failure);
});

test('a thread that ends without a result fails the evaluation', async () => {
  await assert.rejects(selectorsOf('').select(requestOf('true'), signal), {
    kind: 'internal',
    message: 'the thread that evaluates a selector ended without a result',
  });
});

test('the same question is answered without a thread', async () => {
  const selectors = selectorsOf(
    "parentPort.postMessage({ kind: 'answered', selection: { selected: [String(Math.random())] } });",
  );
  const first = await selectors.select(requestOf('true'), signal);
  assert.deepEqual(await selectors.select(requestOf('true'), signal), first);
  assert.notDeepEqual(await selectors.select(requestOf('false'), signal), first);
});

test('an evaluation ends with its signal, and only so many wait', async () => {
  const selectors = selectorsOf('setInterval(() => {}, 1000);');
  const stop = new AbortController();
  const asked = Array.from({ length: patient.maxWaiting + 2 }, (_, index) =>
    selectors.select(requestOf(`${index} > 0`), stop.signal).catch(({ kind }) => kind),
  );
  assert.equal(await asked.at(-1), 'resource-exhausted');
  stop.abort();
  assert.deepEqual(new Set(await Promise.all(asked.slice(0, -1))), new Set(['cancelled']));
});
