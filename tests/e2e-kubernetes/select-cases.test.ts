import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftOutCases } from './left-out-cases.ts';
import { focusOn, selectCases } from './select-cases.ts';

const cases = ['a [Conformance]', 'b [Conformance] [Serial]', 'c (d) [Conformance]', 'e [Conformance]'];
const leftOut = [{ reason: 'needs a cloud', cases: ['e [Conformance]'] }];
const none = new Set<string>();

test('selectCases() separates the cases that need the cluster for themselves, and says why others are left out', () => {
  assert.deepEqual(selectCases({ cases, leftOut, done: none }), {
    parallel: ['a [Conformance]', 'c (d) [Conformance]'],
    serial: ['b [Conformance] [Serial]'],
    leftOut: [{ name: 'e [Conformance]', reason: 'needs a cloud' }],
  });
});

test('selectCases() takes only what matches the focus and has no result', () => {
  const done = new Set(['a [Conformance]']);
  assert.deepEqual(selectCases({ cases, leftOut, focus: /^[ab] /, done }), {
    parallel: [],
    serial: ['b [Conformance] [Serial]'],
    leftOut: [],
  });
});

test('selectCases() refuses a focus without cases, and a row about a case that is not in the suite', () => {
  assert.throws(() => selectCases({ cases, leftOut, focus: /zebra/, done: none }), {
    message: 'no case of 4 matches FOCUS=zebra',
  });
  assert.throws(() => selectCases({ cases: ['a'], leftOut, done: none }), {
    message: 'these cases are left out, and not in the suite: e [Conformance]',
  });
});

test('focusOn() matches whole names only, whatever characters they have', () => {
  const focus = new RegExp(focusOn(['c (d) [Conformance]', 'e*']));
  const suite = (name: string) => `Kubernetes e2e suite ${name}`;
  assert.ok(focus.test(suite('c (d) [Conformance]')) && focus.test(suite('e*')));
  for (const other of ['c (d) [Conformance] [Serial]', 'c d C', 'eee', 'xe*', 'e* x'])
    assert.ok(!focus.test(suite(other)), other);
});

test('no case is left out for two reasons, and fewer where control groups have version 2 or nodes can pull', () => {
  const names = (isUnified: boolean, canPull: boolean) =>
    leftOutCases({ isUnified, canPull }).flatMap(({ cases: rows }) => rows);
  const all = names(false, false);
  assert.equal(new Set(all).size, all.length);
  assert.ok(names(true, false).length < all.length);
  assert.ok(names(false, true).length < all.length);
});
