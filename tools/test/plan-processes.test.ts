import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canShareProcess, mostShared, planProcesses } from './plan-processes.ts';

test('canShareProcess() is false for files that may change their process or the machine', () => {
  for (const text of [
    "process.env.TZ = 'UTC';",
    'after(() => scope.disposeAsync());',
    'mock.timers.enable();',
    "import { connect } from 'node:net';",
    "import { readFileSync } from 'node:fs';",
    'const bytes = await bytesPerPass(pass);',
    'await new Promise((done) => setTimeout(done, 10));',
    'const begun = performance.now();',
  ])
    assert.equal(canShareProcess(text), false, text);
  for (const text of [
    "import assert from 'node:assert/strict';\nimport { describe, test } from 'node:test';\nimport { join } from 'node:path';",
    'const before = list();\nconst processes = readProcesses();',
  ])
    assert.equal(canShareProcess(text), true, text);
});

test('planProcesses() puts files together up to a limit, and leaves the others alone', () => {
  const files = Array.from({ length: mostShared + 2 }, (_, index) => `pure${index}`);
  const plan = planProcesses(['own1', ...files, 'own2', 'pure'], (file) => file.startsWith('pure'));
  assert.deepEqual(plan, [
    ['own1'],
    files.slice(0, mostShared),
    [...files.slice(mostShared), 'pure'],
    ['own2'],
  ]);
  assert.deepEqual(
    planProcesses([], () => true),
    [],
  );
});
