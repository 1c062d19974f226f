import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AskJudgesInit, askJudges } from './ask-judges.ts';
import type { Bench } from './bench.ts';
import { type Finding, type Judge, SubjectMissing } from './judge.ts';
import { ToolMissing } from './tool.ts';

const bench: Bench = {
  checkout: '/checkout',
  image: '/image',
  newPath: (name) => `/new/${name}`,
  once: () => Promise.reject(new Error('nothing is opened here')),
};

/** Finds these in our subject, and those in the broken one. */
function judgeThatFinds(ours: readonly Finding[], inBroken: readonly Finding[]): Judge {
  return {
    ...{ name: 'lint', subject: 'files', isQuick: true, tool: { kind: 'own' } },
    examine: async (_bench, _tool, isBroken) => (isBroken ? inBroken : ours),
  };
}

const rowOf = async (judge: Judge, init: Partial<AskJudgesInit> = {}) => {
  const rows = await askJudges({
    ...{ judges: [judge], expected: [], bench, isBroken: false, isStrict: false, date: '2026-11-29' },
    findTool: async () => ({ path: '/bin/lint', version: '1.0' }),
    tell: () => {},
    ...init,
  });
  assert.equal(rows.length, 1);
  return rows[0];
};

const known = [{ judge: 'lint', findings: /known/, reason: 'a reason' }];
const judged = { name: 'lint', subject: 'files', version: '1.0', date: '2026-11-29' };

test('askJudges() accepts a subject without findings, or with expected ones alone', async () => {
  const silent = judgeThatFinds([], []);
  assert.deepEqual(await rowOf(silent), { ...judged, state: 'passed', verdict: 'accepted', findings: [] });
  const row = await rowOf(judgeThatFinds([{ id: 'known' }], []), { expected: known });
  assert.deepEqual(row, {
    ...judged,
    ...{ state: 'passed', verdict: 'accepted; expected findings: 1' },
    findings: ['expected: known: a reason'],
  });
});

test('askJudges() fails after a new finding, and after an expected one that is gone', async () => {
  const row = await rowOf(judgeThatFinds([{ id: 'new', text: 'very bad' }], []), { expected: known });
  assert.equal(row?.state, 'failed');
  assert.deepEqual(row?.findings, ['new: very bad', 'expected, but not found: known (a reason)']);
});

test('askJudges() fails when a judge accepts its broken subject, or finds in it only what is expected', async () => {
  const broken = { isBroken: true, expected: known };
  const states = await Promise.all(
    [[], [{ id: 'known' }], [{ id: 'known' }, { id: 'new' }]].map(
      async (found) => (await rowOf(judgeThatFinds([], found), broken))?.state,
    ),
  );
  assert.deepEqual(states, ['failed', 'failed', 'passed']);
});

test('askJudges() fails when a judge ends without a verdict, also for a broken subject', async () => {
  const fails: Judge = {
    ...judgeThatFinds([], []),
    examine: () => Promise.reject(new Error('it crashed')),
  };
  for (const isBroken of [false, true]) {
    const row = await rowOf(fails, { isBroken });
    assert.deepEqual(row, { ...judged, state: 'failed', verdict: 'no verdict', findings: ['it crashed'] });
  }
});

test('askJudges() skips a missing judge with what installs it, and fails where none may be skipped', async () => {
  const findTool = () => Promise.reject(new ToolMissing('lint: apt-get install lint'));
  const verdict = 'not installed: lint: apt-get install lint';
  const row = { name: 'lint', subject: 'files', version: '', verdict, findings: [] };
  assert.deepEqual(await rowOf(judgeThatFinds([], []), { findTool }), { ...row, state: 'skipped' });
  const strict = await rowOf(judgeThatFinds([], []), { findTool, isStrict: true });
  assert.deepEqual(strict, { ...row, state: 'failed' });
});

test('askJudges() skips a judge whose subject was not made, and fails where none may be skipped', async () => {
  const judge: Judge = {
    ...judgeThatFinds([], []),
    examine: () => Promise.reject(new SubjectMissing('make it')),
  };
  const row = await rowOf(judge);
  assert.deepEqual([row?.state, row?.verdict, row?.date], ['skipped', 'no subject: make it', undefined]);
  assert.equal((await rowOf(judge, { isStrict: true }))?.state, 'failed');
});
