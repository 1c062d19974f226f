// How the verdicts of programs are read that do not say them by their exit code alone.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findingsOf, readProperties } from './hardened-programs.ts';
import { missingHardening } from './kernel-hardening.ts';
import { problemsOf } from './partitions.ts';

test('problemsOf() finds problems of sgdisk although it ends with 0, and no verdict without its last line', () => {
  const good = 'No problems found. 3997 free sectors available in 2\nsegments.';
  assert.deepEqual(problemsOf(0, `\n${good}\n`), []);
  const [problem] = problemsOf(0, 'Problem: The CRC for the main partition table is invalid.\nMore.\n\nDone');
  assert.equal(problem?.id, 'Problem: The CRC for the main partition table is invalid');
  assert.equal(problemsOf(0, '')[0]?.id, 'not verified');
  assert.equal(problemsOf(2, good)[0]?.id, 'not verified');
});

test('findingsOf() lists each property of checksec that is not good or not there', () => {
  const whole = { relro: 'full', nx: 'yes', pie: 'dso', canary: 'yes', rpath: 'no' };
  assert.deepEqual(findingsOf('bin/a', whole), []);
  const { nx: _nx, ...others } = whole;
  assert.deepEqual(findingsOf('bin/a', { ...others, pie: 'no' }), [
    { id: 'bin/a: nx missing' },
    { id: 'bin/a: pie no' },
  ]);
  assert.throws(() => readProperties('', 'no such file'), /checksec has no verdict: no such file/);
});

test('missingHardening() reads a word without a value as the word itself', () => {
  const ids = (commandLine: string) =>
    missingHardening({ commandLine, parameters: new Map([['kernel.sysrq', '1']]) }).map(({ id }) => id);
  assert.equal(ids('slab_nomerge= pti=on').includes('argument slab_nomerge'), false);
  assert.ok(ids('pti=off').includes('argument pti=on'));
  assert.ok(ids('').includes('parameter kernel.sysrq=0'));
});
