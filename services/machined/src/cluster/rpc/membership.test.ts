import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  ReportRequest,
  ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import type { CallContext } from 'nice-grpc';
import { listVersion } from '../domain/node-record.ts';
import { nodeRecord } from '../domain/testing/node-record.ts';
import { NodeRegistry } from '../host/node-registry.ts';
import { createMembershipService } from './membership.ts';

const never = new AbortController().signal;
const list = [nodeRecord(1), nodeRecord(5)];

function start(leaseSeconds: number, stopSignal = never) {
  const registry = new NodeRegistry();
  const service = createMembershipService({
    registry,
    timing: { leaseSeconds, firstRetryMs: 1 },
    hasEtcdData: async () => true,
    stopSignal,
  });
  const taken: ReportRequest[] = [];
  registry.openReports(async (report) => void taken.push(report));
  registry.setNodes(list);
  const report = (knownVersion: string, signal = never) =>
    service.report({ node: nodeRecord(5), knownVersion, callerAddress: '127.0.0.1', isLeaving: false }, {
      signal,
    } as CallContext) as Promise<ReportResponse>;
  return { registry, taken, report };
}

test('Report answers at once when the caller has another list or none', async () => {
  const { report, taken } = start(600);
  const answer = { nodes: list, leaseSeconds: 600, version: listVersion(list) };
  assert.deepEqual([await report(''), await report('another')], [answer, answer]);
  assert.deepEqual(
    taken.map(({ knownVersion }) => knownVersion),
    ['', 'another'],
  );
});

test('Report waits for a change when the caller has the current list', async () => {
  const { registry, report } = start(600);
  const pending = report(listVersion(list));
  await new Promise(setImmediate);
  const next = list.slice(0, 1);
  registry.setNodes(list);
  registry.setNodes(next);
  assert.deepEqual(await pending, { nodes: next, leaseSeconds: 600, version: listVersion(next) });
});

test('Report waits less than a third of the lease, and ends when the caller or the node stops', async () => {
  const version = listVersion(list);
  assert.equal((await start(0.3).report(version)).version, version);
  const stop = new AbortController();
  const waiting = [start(600).report(version, stop.signal), start(600, stop.signal).report(version)];
  await new Promise(setImmediate);
  stop.abort();
  assert.deepEqual(
    (await Promise.all(waiting)).map((answer) => answer.version),
    [version, version],
  );
});

test('Report returns no list when the report is rejected', async () => {
  const { registry, report } = start(600);
  registry.openReports(async () => {
    throw new Fault('permission-denied', 'no');
  });
  await assert.rejects(report(''), { kind: 'permission-denied', message: 'no' });
});
