import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import { openLifeSign } from './life-sign.ts';
import { startLimitMs } from './watchdog.ts';

function openSign() {
  const folder = mkdtempSync(join(tmpdir(), 'slot-'));
  const timers = new FakeTimers(0);
  const path = join(folder, 'alive');
  const mark = join(folder, 'trial');
  writeFileSync(mark, '');
  const warnings: unknown[] = [];
  const sign = openLifeSign({
    ...{ path, mark, timers },
    log: { warn: (facts: unknown) => void warnings.push(facts) } as never,
  });
  const pass = (ms: number) => {
    const untilMs = timers.now() + ms;
    while (timers.step(untilMs));
    return readFileSync(path, 'utf8');
  };
  return {
    ...{ folder, mark, sign },
    warnings,
    pass,
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

test('a life sign changes every ten seconds, until the system is confirmed', () => {
  using opened = openSign();
  const first = opened.pass(0);
  const second = opened.pass(10_000);
  assert.notEqual(first, second);
  rmSync(opened.mark);
  opened.sign.stop();
  assert.equal(opened.pass(60_000), second);
});

test('a confirmed system whose mark could not be removed shows life on: its supervisor would end it', () => {
  using opened = openSign();
  opened.sign.stop();
  const last = opened.pass(10_000);
  assert.notEqual(opened.pass(startLimitMs), last);
});

test('a start that does not come to its trial shows life for ten minutes', () => {
  using opened = openSign();
  const early = opened.pass(startLimitMs - 20_000);
  const last = opened.pass(20_000);
  assert.notEqual(last, early);
  assert.equal(opened.pass(startLimitMs), last);
});

test('the limit of the start ends when the trial begins, and when the node is to restart', () => {
  using trial = openSign();
  trial.sign.trialBegins();
  const begun = trial.pass(2 * startLimitMs);
  assert.notEqual(trial.pass(10_000), begun);
  using restart = openSign();
  restart.pass(startLimitMs - 1);
  restart.sign.endAfter(25_000);
  const later = restart.pass(10_000);
  assert.notEqual(restart.pass(10_000), later);
});

test('a node that is to restart shows life for so long only', () => {
  using opened = openSign();
  opened.sign.endAfter(25_000);
  const last = opened.pass(25_000);
  assert.equal(opened.pass(60_000), last);
});

test('a sign that cannot be written is logged, and tried again', () => {
  using opened = openSign();
  rmSync(opened.folder, { recursive: true });
  assert.throws(() => opened.pass(20_000), { code: 'ENOENT' });
  assert.equal(opened.warnings.length, 2);
});
