// Connections to a real etcd, and how they fail.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { openTelemetry } from '@nodewright/telemetry';
import { eventually, startOtlpReceiver } from '@nodewright/testkit';
import type { EtcdFault } from '../etcd-fault.ts';
import { openEtcdClient } from '../open-etcd-client.ts';
import { createTestPki, randomLoopback, skipWithoutEtcd, startEtcdCluster } from '../testing/index.ts';

const skip = skipWithoutEtcd();
const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const cluster = skip ? undefined : scope.use(await startEtcdCluster(3));
const running = () => cluster ?? assert.fail('no etcd');
const deadEndpoint = () => `${randomLoopback()}:2379`;

test('a server certificate of another CA is rejected, and so is a client certificate', { skip }, async () => {
  const {
    pki,
    endpoints: [endpoint = ''],
  } = running();
  const stranger = await createTestPki();
  const wrongCa = running().client({ endpoints: [endpoint], tls: { ...pki.admin, ca: stranger.admin.ca } });
  await assert.rejects(wrongCa.get('x'), (fault: EtcdFault) => {
    assert.deepEqual([fault.kind, fault.reason, fault.endpoint], ['unavailable', 'unreachable', endpoint]);
    assert.match(fault.message, /^etcd at \S+ cannot be reached: .*(certificate|verify)/);
    return true;
  });
  const wrongClient = running().client({
    endpoints: [endpoint],
    tls: { ...stranger.admin, ca: pki.admin.ca },
  });
  await assert.rejects(wrongClient.get('x', { timeoutMs: 5000 }), (fault: EtcdFault) => {
    assert.deepEqual([fault.kind, fault.endpoint], ['unavailable', endpoint], fault.message);
    return true;
  });
});

test('invalid certificates are refused when the client is opened', { skip }, async () => {
  const { pki } = running();
  const other = await createTestPki();
  const tls = { ...pki.admin, key: other.admin.key };
  assert.throws(() => running().client({ tls }), { kind: 'invalid-argument' });
  assert.throws(() => running().client({ endpoints: [] }), { kind: 'invalid-argument' });
});

test('one endpoint without a listener fails at once and is named', { skip }, async () => {
  const endpoint = deadEndpoint();
  const client = running().client({ endpoints: [endpoint] });
  // With a deadline that would never be reached here.
  await assert.rejects(client.get('x', { timeoutMs: 600_000 }), {
    kind: 'unavailable',
    reason: 'unreachable',
    endpoint,
    message: `etcd at ${endpoint} cannot be reached: connect ECONNREFUSED ${endpoint}`,
  });
});

test('several endpoints without a listener are all named', { skip }, async () => {
  const endpoints = [deadEndpoint(), deadEndpoint()];
  await assert.rejects(running().client({ endpoints }).put('x', 'y'), (fault: EtcdFault) => {
    assert.equal(fault.reason, 'unreachable');
    assert.ok(
      endpoints.every((endpoint) => fault.message.includes(endpoint)),
      fault.message,
    );
    return true;
  });
});

test('one dead endpoint among three is skipped, also by writes', { skip }, async () => {
  const { endpoints } = running();
  const client = running().client({ endpoints: [deadEndpoint(), ...endpoints.slice(1)] });
  assert.ok((await client.put('over', 'x')) > 0n);
  assert.equal((await client.get('over'))?.version, 1n);
});

test('an endpoint that accepts the connection and then hangs is skipped after the dial timeout', {
  skip,
}, async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  scope.defer(() => void silent.close());
  await new Promise((resolve) => silent.once('listening', resolve));
  const address = silent.address();
  if (address === null || typeof address === 'string') assert.fail();
  const endpoints = [`127.0.0.1:${address.port}`, ...running().endpoints];
  // Enough for a busy machine to connect to the others.
  const client = running().client({ endpoints, dialTimeoutMs: 2000 });
  assert.ok((await client.put('silent', 'x')) > 0n);
  const alone = running().client({ endpoints: endpoints.slice(0, 1), dialTimeoutMs: 300 });
  await assert.rejects(alone.get('x'), {
    reason: 'unreachable',
    message: `etcd at ${endpoints[0]} cannot be reached: no connection within 0.3 s`,
  });
});

test('reads skip a frozen member, and a write times out', {
  skip,
}, async () => {
  const [first] = running().members;
  const client = running().client();
  await client.put('frozen', 'x');
  await first?.freeze();
  try {
    await assert.rejects(client.put('frozen', 'y', { timeoutMs: 1500 }), {
      kind: 'deadline-exceeded',
      endpoint: first?.endpoint,
      message: `etcd at ${first?.endpoint} did not answer within 1500 ms`,
    });
    const reader = running().client();
    // The cluster may have to elect a new leader first.
    await eventually(async () => (await reader.get('frozen', { timeoutMs: 4000 })) !== undefined, {
      what: 'an answer of the others',
    });
  } finally {
    first?.thaw();
  }
});

test('a call is cancelled by its signal, and by closing the client', { skip }, async () => {
  const client = running().client();
  await assert.rejects(client.get('x', { signal: AbortSignal.abort() }), { kind: 'cancelled' });
  await client[Symbol.asyncDispose]();
  await assert.rejects(client.get('x'), { kind: 'cancelled' });
});

test('a call is one span with the endpoint, without keys or values', { skip }, async () => {
  await using receiver = await startOtlpReceiver();
  // The SDK reads the environment of the process itself.
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = receiver.endpoint;
  const environment = process.env;
  const telemetry = await openTelemetry({ serviceName: 'test', serviceVersion: '0', environment });
  const { pki, endpoints } = running();
  {
    await using client = openEtcdClient({
      endpoints: [deadEndpoint(), ...endpoints],
      tls: pki.admin,
      telemetry,
    });
    await client.put('secret-key', 'secret-value');
    await client.members();
    // The lease is renewed in the background several times, outside of any trace.
    const lease = await client.grantLease(1);
    await pause(1500);
    await lease.revoke();
  }
  await telemetry[Symbol.asyncDispose]();
  const names = receiver.spans().map(({ name }) => name);
  assert.deepEqual(names, [
    'etcd KV/Put',
    'etcd Cluster/MemberList',
    'etcd Lease/LeaseGrant',
    'etcd Lease/LeaseRevoke',
  ]);
  assert.doesNotMatch(
    JSON.stringify(receiver.spans(), (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
    /secret/,
  );
});
