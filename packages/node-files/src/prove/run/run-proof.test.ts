import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availabilityOf, type RequestSample, requestsPerSecond, wasAvailable } from './availability.ts';
import { compareProcesses, type ObservedProcess } from './compare-processes.ts';
import { formatRunProof, isShown, type RunProof } from './run-proof.ts';
import { expectedReplacements, quietMs, settlesFor } from './settling.ts';

const server: ObservedProcess = {
  name: 'kube-apiserver',
  pid: 10,
  args: ['/x/kube-apiserver', '--v=1', '--audit-policy-file=/n/audit.yaml'],
  files: { '/n/audit.yaml': 'digest' },
};
const manager: ObservedProcess = { name: 'kube-controller-manager', pid: 11, args: ['/x/kcm'], files: {} };
const etcd: ObservedProcess = { name: 'etcd', pid: 12, args: ['/x/etcd'], files: {} };
const before = [server, manager, etcd];

/** Samples at the agreed rate. */
const samples = (count: number, answersMs: (at: number) => RequestSample['answersMs']) =>
  Array.from({ length: count }, (_, at) => ({
    sentMs: (at * 1000) / requestsPerSecond,
    answersMs: answersMs(at),
  }));
const wellAnswered = samples(30, (at) => (at < 10 ? [undefined, 3, 4] : [5, undefined, undefined]));

const proofOf = (
  after: readonly ObservedProcess[],
  sent: readonly RequestSample[] = wellAnswered,
): RunProof => ({
  nodes: [{ name: 'node01', seconds: 1 }],
  processes: compareProcesses('node01', before, after),
  availability: availabilityOf(sent, 3),
  replaced: [{ key: 'cluster.ca', reason: 'secrets' }],
  notShown: ['the kubelet'],
  startSeconds: 20,
  seconds: 40,
});

test('isShown() accepts another process of a service whose arguments or files differ, and no other one', () => {
  const replaced = [
    { ...server, pid: 20, args: ['/x/kube-apiserver', '--v=2', '--audit-policy-file=/n/audit.yaml'] },
    manager,
    etcd,
  ];
  const rows: readonly (readonly [after: readonly ObservedProcess[], holds: boolean, line: RegExp])[] = [
    [before, true, /^kept: node01: kube-apiserver is still process 10$/m],
    [replaced, true, /^restarted: node01: kube-apiserver is process 20 in place of 10 \(different: --v\)$/m],
    [
      [{ ...server, pid: 20, files: { '/n/audit.yaml': 'other' } }, manager, etcd],
      true,
      /^restarted: .*\(different: \/n\/audit\.yaml\)$/m,
    ],
    // The same process may have read a file again.
    [[{ ...server, files: {} }, manager, etcd], true, /^kept: .*\(different: \/n\/audit\.yaml\)$/m],
    [
      [server, { ...manager, pid: 21 }, etcd],
      false,
      /^WRONG: node01: kube-controller-manager is process 21/m,
    ],
    [[server, manager], false, /^WRONG: node01: etcd, process 12, does not run any more$/m],
    [
      [...before, { ...etcd, name: 'trustd' }],
      false,
      /^WRONG: node01: trustd, process 12, did not run before$/m,
    ],
  ];
  for (const [after, holds, line] of rows) {
    const proof = proofOf(after);
    assert.equal(isShown(proof), holds, String(line));
    assert.match(formatRunProof(proof).join('\n'), line);
  }
});

test('isShown() is false without processes or requests: nothing was seen then', () => {
  const proof = proofOf(before);
  assert.equal(isShown({ ...proof, processes: [] }), false);
  assert.equal(isShown(proofOf(before, [])), false);
  assert.match(formatRunProof(proofOf(before, [])).join('\n'), /^WRONG: no request was sent$/m);
});

test('compareProcesses() takes the same arguments in another order for other ones', () => {
  const [outcome] = compareProcesses(
    'node01',
    [{ ...server, args: ['x', '--a=1', '--b=2'] }],
    [{ ...server, pid: 20, args: ['x', '--b=2', '--a=1'] }],
  );
  assert.deepEqual([outcome?.outcome, outcome?.differs], ['restarted', ['the order of its arguments']]);
});

test('availabilityOf() finds a request that no server answered, and a time without requests', () => {
  const good = availabilityOf(wellAnswered, 3);
  assert.deepEqual(good, {
    requests: 30,
    seconds: 2.9,
    unansweredAt: [],
    unanswered: 0,
    answeredBy: [20, 10, 10],
    longestGapMs: 100,
    slowestMs: 5,
  });
  assert.ok(wasAvailable(good));
  const broken = wellAnswered.map((sample, at) => (at === 7 ? { ...sample, answersMs: [] } : sample));
  const { unanswered, unansweredAt } = availabilityOf(broken, 3);
  assert.deepEqual([unanswered, unansweredAt], [1, [0.7]]);
  assert.equal(wasAvailable(availabilityOf(broken, 3)), false);
  assert.match(
    formatRunProof(proofOf(before, broken)).join('\n'),
    /^WRONG: 30 requests in 2\.9 s, .*: 1 were answered by none, after 0\.7 s$/m,
  );
  const silent = wellAnswered.filter((_sample, at) => at < 5 || at > 16);
  assert.equal(wasAvailable(availabilityOf(silent, 3)), false);
  assert.match(formatRunProof(proofOf(before, silent)).join('\n'), /none was sent for 1300 ms/);
  // The answers end in another order than the requests began.
  assert.deepEqual(availabilityOf(wellAnswered.toReversed(), 3), good);
  assert.equal(
    availabilityOf(
      samples(100, () => []),
      3,
    ).unansweredAt.length,
    20,
  );
});

test('settlesFor() waits for each service that must be another one, for readiness, and then for a quiet time', () => {
  const node = { before, now: before, expected: ['kube-apiserver'], isReady: true, unchangedMs: quietMs };
  const now = [{ ...server, pid: 20, args: ['/x/kube-apiserver', '--v=2'] }, manager, etcd];
  assert.match(settlesFor(node) ?? '', /kube-apiserver with its new arguments/);
  assert.match(settlesFor({ ...node, now: [manager, etcd] }) ?? '', /kube-apiserver with its new arguments/);
  assert.match(settlesFor({ ...node, now, isReady: false }) ?? '', /ready/);
  assert.match(settlesFor({ ...node, now, unchangedMs: quietMs - 1 }) ?? '', /without a change/);
  assert.equal(settlesFor({ ...node, now }), undefined);
});

test('expectedReplacements() names the static pods that a node of this project renders in another way', () => {
  const of = (name: string, more = {}) => ({
    ...{ of: 'file' as const, kind: 'changed' as const, cause: 'form' as const, text: '', name },
    ...more,
  });
  const differences = [
    of('static pod kube-apiserver'),
    of('static pod kube-scheduler', { rule: 'as upstream' }),
    of('static pod kube-controller-manager', { kind: 'removed' as const }),
    of('static pod default-web'),
    of('/etc/hosts'),
  ];
  assert.deepEqual(expectedReplacements({ differences }), ['kube-apiserver']);
});
