import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeSummary, Reach } from '../protocol/messages.ts';
import {
  type ClusterRecord,
  emptyRecord,
  mostOutages,
  withHealth,
  withoutHealth,
  withSummaries,
} from './cluster-record.ts';

const here: Reach = { kind: 'here' };
const away = (sinceMs: number, message = 'no route'): Reach => ({ kind: 'away', sinceMs, message });
const summary = (name: string, reach: Reach): NodeSummary => ({
  ...{ name, reach, isReady: true, services: [], troubles: [] },
});
const numbersOf = ({ number, nodesNumber }: ClusterRecord) => [number, nodesNumber];

test('the number grows with what a page judges by, and not with figures or texts of further attempts', () => {
  let record = withSummaries(emptyRecord, [summary('a', here)], 1);
  assert.deepEqual(numbersOf(record), [1, 1]);
  record = withSummaries(record, [{ ...summary('a', here), memory: { usedBytes: 1, totalBytes: 2 } }], 2);
  assert.deepEqual(numbersOf(record), [1, 1]);
  record = withSummaries(record, [summary('a', away(3))], 3);
  record = withSummaries(record, [summary('a', away(3, 'no answer within 10s'))], 4);
  assert.deepEqual(numbersOf(record), [2, 2]);
  record = withHealth(record, { checks: [], ofNodes: 2, atMs: 5 });
  assert.deepEqual(numbersOf(record), [3, 2]);
});

test('a member of etcd that does not answer once is shown, and its results of checks stay new; another leader makes them old', () => {
  const member = (leader: string) => ({
    ...{ id: 'a', leader, term: 1, raftIndex: 1, appliedIndex: 1, dbBytes: 1, usedBytes: 1 },
    ...{ isLearner: false, version: '3.6', errors: [], alarms: [] },
  });
  const withMember = (leader: string): NodeSummary => ({ ...summary('a', here), etcd: member(leader) });
  let record = withSummaries(emptyRecord, [withMember('a')], 1);
  record = withSummaries(record, [summary('a', here)], 2);
  assert.deepEqual(numbersOf(record), [2, 1]);
  record = withSummaries(record, [{ ...summary('a', here), isEtcdSilent: true }], 3);
  assert.deepEqual(numbersOf(record), [3, 1]);
  record = withSummaries(record, [withMember('a')], 4);
  assert.deepEqual(numbersOf(record), [4, 1]);
  record = withSummaries(record, [withMember('b')], 5);
  assert.deepEqual(numbersOf(record), [5, 5]);
});

test('an outage of a node or a check has its beginning, its end and its first reason', () => {
  const failed = { name: 'etcd to be healthy', state: 'failed', reason: 'no leader', sinceMs: 4 } as const;
  let record = withSummaries(emptyRecord, [summary('a', here)], 1);
  record = withSummaries(record, [summary('a', away(3))], 3);
  record = withHealth(record, { checks: [failed], ofNodes: 2, atMs: 5 });
  record = withHealth(record, { checks: [{ ...failed, reason: 'still none' }], ofNodes: 2, atMs: 6 });
  record = withSummaries(record, [summary('a', here)], 8);
  record = withHealth(record, { checks: [{ ...failed, state: 'passed' }], ofNodes: 2, atMs: 9 });
  assert.deepEqual(record.outages, [
    { kind: 'check', name: 'etcd to be healthy', fromMs: 4, toMs: 9, reason: 'no leader' },
    { kind: 'node', name: 'a', fromMs: 3, toMs: 8, reason: 'no route' },
  ]);
});

test('a node that comes and goes for weeks leaves a bounded list, and outages that last stay in it', () => {
  let record = withSummaries(emptyRecord, [summary('gone', away(1)), summary('a', here)], 1);
  for (let atMs = 2; atMs < 2 + 4 * mostOutages; atMs += 2) {
    record = withSummaries(record, [summary('a', away(atMs))], atMs);
    record = withSummaries(record, [summary('a', here)], atMs + 1);
  }
  assert.equal(record.outages.length, mostOutages);
  assert.equal(record.outages.at(-1)?.name, 'gone');
});

test('the outage of a check ends with the last result before nobody looked, and that result is not kept', () => {
  const failed = { name: 'etcd to be healthy', state: 'failed', reason: 'no leader', sinceMs: 4 } as const;
  let record = withSummaries(emptyRecord, [summary('a', away(3))], 3);
  record = withHealth(record, { checks: [failed], ofNodes: 1, atMs: 5 });
  record = withHealth(record, { checks: [failed], ofNodes: 1, atMs: 6 });
  record = withoutHealth(record);
  assert.deepEqual(record.outages, [
    { kind: 'check', name: 'etcd to be healthy', fromMs: 4, toMs: 6, reason: 'no leader' },
    { kind: 'node', name: 'a', fromMs: 3, reason: 'no route' },
  ]);
  assert.deepEqual([record.health, withoutHealth(record) === record], [undefined, true]);
  // It fails still when somebody looks again. Nobody knows what was between.
  record = withHealth(record, { checks: [{ ...failed, sinceMs: 900 }], ofNodes: 1, atMs: 900 });
  assert.deepEqual(
    record.outages.filter(({ kind }) => kind === 'check').map(({ fromMs, toMs }) => [fromMs, toMs]),
    [
      [900, undefined],
      [4, 6],
    ],
  );
});
