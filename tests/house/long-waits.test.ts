// What waits for something long in a loop must leave nothing behind: a kilobyte a second is a dead node in a week.
// `packages/async` has what releases what it registers: `LongPromise`, `untilAborted()`, `pause()`, `ChangeSignal`.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const checkout = join(import.meta.dirname, '..', '..');

/** Races in loops whose promises all settle soon, by file. */
const shortRaces: Readonly<Record<string, string>> = {
  'packages/h2/src/conformance/cancels.ts': 'the calls of a test end with it',
  'services/apid/src/host/state-identity-source.ts': 'both are made again: a view, and a grace time of 90 s',
  'services/machined/src/cluster/host/etcd-link.ts': 'the signal of both aborts when the turn ends',
};

/** Listeners for an abort that stay, by file. */
const stayingListeners: Readonly<Record<string, string>> = {
  'packages/async/src/aborted.ts': 'is awaited by itself, so the listener ends with the wait',
  'services/machined/src/etcd/service/testing/etcd-rig.ts': 'the signal of one run of a test',
  'services/machined/src/network/testing/simulated-election.ts': 'the signal of one campaign of a test',
  'tests/contract/talosctl/fake-machine.ts': 'the signal of one call of a test',
  'tests/sim/rollout/simulate-rollout.ts': 'the signal of one life of a simulated node',
  'tests/sim/scheduled-state.ts': 'the signal of one watch of a simulated world',
};

/** Tests abort their own signals, and end. */
const files = globSync('{packages,services,cli,tests,tools,rootfs}/**/*.{ts,tsx}', {
  cwd: checkout,
  exclude: (path) => path.endsWith('node_modules') || path.endsWith('/gen'),
})
  .filter((file) => !file.endsWith('.test.ts'))
  .sort();
const sources = new Map(files.map((file) => [file, readFileSync(join(checkout, file), 'utf8')]));

const indentOf = (line: string) => line.length - line.trimStart().length;

/** The code of a line, without a comment. */
const codeOf = (line: string) => (/^\s*(?:\/\/|\*|\/\*)/.test(line) ? '' : line.replace(/\s\/\/ .*$/, ''));

/** A function that a loop does not contain itself; an arrow function inside of a loop runs in it. */
const functionHeader = /^\s*(?:export |async |static |private |override |get |function\b|\*|#?\w+\*?\().*\{$/;
const loopHeader = /^\s*(?:for|while|do)\b/;
const otherHeader = /^\s*(?:\} )?(?:if|else|try|catch|finally|switch|using|await|return|const|let)\b/;

/**
 * Whether line `at` is in a loop of its function. The sources are formatted, so that the lines around it with less
 * indentation are the headers of its blocks.
 */
function isInLoop(lines: readonly string[], at: number): boolean {
  if (loopHeader.test(lines[at] ?? '')) return true;
  let indent = indentOf(lines[at] ?? '');
  for (let index = at - 1; index >= 0 && indent > 0; index -= 1) {
    const line = codeOf(lines[index] ?? '');
    if (line.trim() === '' || indentOf(line) >= indent) continue;
    if (loopHeader.test(line)) return true;
    // The end of a header of several lines: its first line has the same indentation.
    if (/^\s*\)/.test(line)) indent = indentOf(line) + 1;
    else if (functionHeader.test(line) && !otherHeader.test(line)) return false;
    else indent = indentOf(line);
  }
  return false;
}

function racesInLoops(source: string): number[] {
  const lines = source.split('\n');
  return lines.flatMap((line, at) =>
    codeOf(line).includes('Promise.race(') && isInLoop(lines, at) ? [at + 1] : [],
  );
}

/** The lines that add a listener for an abort which the same file does not remove by the same name. */
function listenersThatStay(source: string): number[] {
  const code = source
    .split('\n')
    .map((line) => codeOf(line))
    .join('\n');
  const lineAt = (index: number) => code.slice(0, index).split('\n').length;
  const added = [...code.matchAll(/addEventListener\(\s*'abort',\s*([^,()\s]+|[^\n]*)([^\n]*)/g)].filter(
    ([, listener = '', options = '']) =>
      !code.includes(`removeEventListener('abort', ${listener})`) &&
      !/[{,] signal\b/.test(listener + options),
  );
  // `once()` and `aborted()` end with the abort only: beside something else they stay after it.
  const awaited = [
    ...code.matchAll(/(await |return )?\b(?:once\((?:\w+\.)?signal, 'abort'|aborted\()/g),
  ].filter(([text, before]) => before === undefined && !code.includes(`function ${text}`));
  return [...added, ...awaited].map(({ index }) => lineAt(index)).sort((left, right) => left - right);
}

/** `file:line` of everything that `find` reports, except in the excepted files; and exceptions without a case. */
function offences(
  find: (source: string) => number[],
  exceptions: Readonly<Record<string, string>>,
): string[] {
  const found = new Map([...sources].map(([file, source]) => [file, find(source)]));
  const unneeded = Object.keys(exceptions).filter((file) => (found.get(file) ?? []).length === 0);
  return [
    ...[...found].flatMap(([file, lines]) =>
      file in exceptions ? [] : lines.map((line) => `${file}:${line}`),
    ),
    ...unneeded.map((file) => `${file}: the exception is not needed`),
  ];
}

test('the search finds races in loops, and only there', () => {
  const source = [
    'async function run(long: Promise<void>) {',
    '  await Promise.race([long, sleep(1)]);',
    '  while (true) await Promise.race([long, sleep(2)]);',
    '  for (',
    '    let turn = 0;',
    '    turn < 9;',
    '    turn += 1',
    '  ) {',
    '    if (turn > 3) {',
    '      const result = await Promise.race([long, sleep(3)]);',
    '    }',
    '    await all.map(async () => {',
    '      await Promise.race([long, sleep(4)]);',
    '    });',
    '  }',
    '  // for (;;) await Promise.race([])',
    '}',
    'for (const each of all) {',
    '  async function inner() {',
    '    await Promise.race([long]);',
    '  }',
    '}',
  ].join('\n');
  assert.deepEqual(racesInLoops(source), [3, 10, 13]);
});

test('the search finds listeners without a removal, also those that are called once', () => {
  const source = [
    "signal.addEventListener('abort', () => resolve(), { once: true });",
    "signal.addEventListener('abort', wake, { once: true });",
    "signal.addEventListener('abort', wake);",
    "signal.addEventListener('abort', this.#close);",
    "signal.removeEventListener('abort', this.#close);",
    "signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over });",
    'await aborted(signal);',
    'await Promise.race([work, aborted(signal)]);',
    "const end = once(env.signal, 'abort');",
    "await once(signal, 'abort');",
    'signal.addEventListener(',
    "  'abort',",
    '  leave,',
    ');',
  ].join('\n');
  assert.deepEqual(listenersThatStay(source), [1, 2, 3, 8, 9, 11]);
});

test('no loop races a promise that may stay pending: a LongPromise releases each wait', () => {
  assert.deepEqual(offences(racesInLoops, shortRaces), []);
  assert.ok(files.length > 1000, `${files.length} files`);
});

test('every listener for an abort is removed by the file that adds it', () => {
  assert.deepEqual(offences(listenersThatStay, stayingListeners), []);
});

test('every clock of the host is used by a test: a clock that a test controls says nothing about it', () => {
  const clocks = [...sources].flatMap(([, source]) =>
    [...source.matchAll(/^export const (system\w*(?:Clock|Timers)\w*)\b/gm)].map(([, name = '']) => name),
  );
  const tests = globSync('{packages,services,cli}/**/*.test.ts', {
    cwd: checkout,
    exclude: (path) => path.endsWith('node_modules'),
  }).map((file) => readFileSync(join(checkout, file), 'utf8'));
  const untested = clocks.filter((name) => !tests.some((text) => new RegExp(`\\b${name}\\.`).test(text)));
  assert.deepEqual(untested, [], 'no test calls them');
  assert.ok(clocks.length >= 3, `${clocks}`);
});
