// Runs the suite against a cluster of this checkout, so that both stay correct; and against a node that does
// nothing, to find checks that cannot fail.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { methodTable } from '@nodewright/contract';
import { openIdleSubject } from './judged/idle-node.ts';
import { runChecks, type Verdict } from './run-checks.ts';
import { type OwnCluster, openOwnCluster } from './subject/own-cluster.ts';
import { suite } from './suite.ts';

const scope = new AsyncDisposableStack();
const verdicts: Verdict[] = [];
let subject: OwnCluster;
let instances: Awaited<ReturnType<OwnCluster['instances']>>;
before(async () => {
  subject = scope.use(await openOwnCluster('process'));
  instances = await subject.instances();
  for await (const verdict of runChecks(suite, subject)) verdicts.push(verdict);
});
after(() => scope.disposeAsync());

const line = ({ id, why }: Verdict) => `${id}: ${why}`;

test('a process cluster passes every check', () => {
  assert.deepEqual(verdicts.filter(({ outcome }) => outcome === 'failed').map(line), []);
});

test('no daemon crashed during a check', async () => {
  assert.deepEqual(await subject.instances(), instances);
});

test('a process cluster lacks only the methods that docs/api.md lists', () => {
  const missing = verdicts.filter(({ outcome }) => outcome === 'not implemented');
  const methods = [...new Set(missing.map(({ method }) => method))];
  assert.deepEqual(
    methods.filter((method) => methodTable[method]?.notImplemented === undefined),
    [],
  );
});

test('almost every check can be run on a process cluster', () => {
  const allowed = ['list.xattrs', 'cpu.text'];
  const skipped = verdicts.filter(
    ({ outcome, why }) => outcome === 'skipped' && !/lacks a feature that this check needs/.test(why ?? ''),
  );
  assert.deepEqual(skipped.filter(({ id }) => !allowed.includes(id)).map(line), []);
});

test('every check has an id and a sentence of its own', () => {
  const ids = suite.map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  );
  assert.ok(suite.every(({ says }) => says.length > 10));
});

/** Checks that an idle node passes: those about admission, and those that silence satisfies. */
const heldByNothing = new Set([
  // Certificates with Ed25519 keys know no such TLS.
  'transport.old-tls',
  'logs.kubelet',
  'roles.several',
  'protocol.health-and-reflection',
  ...suite.map(({ id }) => id).filter((id) => id.startsWith('roles.admitted/')),
]);

test('a node that answers every call with an empty message passes no other check', async () => {
  await using subject = await openIdleSubject();
  const passed: string[] = [];
  for await (const { id, outcome } of runChecks(suite, subject)) if (outcome === 'passed') passed.push(id);
  assert.deepEqual(
    passed.filter((id) => !heldByNothing.has(id)),
    [],
  );
});
