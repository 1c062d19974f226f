// The client library of talosctl, in a process that lives longer than one command.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import {
  CallFault,
  openTalosClient,
  readTalosconfig,
  type TalosClient,
  type TalosClientInit,
} from '@nodewright/client';
import { Data } from '@nodewright/contract/gen/common/common.ts';
import { Secret } from '@nodewright/fault';
import { eventually } from '@nodewright/testkit';
import { awaitEndpoints } from '../../../cli/talosctl/src/action/await-endpoints.ts';
import { FakeCluster } from './fake-cluster.ts';
import { FakeGateway, type FakeHandler } from './fake-gateway.ts';
import { healthyCluster } from './replies.ts';

const mebibyte = 1024 * 1024;
const scope = new AsyncDisposableStack();
let cluster: FakeCluster;
before(async () => {
  cluster = scope.use(await FakeCluster.create());
});
after(() => scope.disposeAsync());

async function openClient(endpoints: readonly string[], init: TalosClientInit = {}): Promise<TalosClient> {
  const { contexts, context } = await readTalosconfig(await cluster.talosconfig({ endpoints }));
  return openTalosClient({
    ...init,
    context: { ...contexts.get(context), endpoints, nodes: [], ...init.context },
  });
}

async function kindOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    (failure) => failure,
  );
  return `${error?.kind}: ${error?.message}`;
}

test('an endpoint that comes back is used again', async () => {
  const first = await cluster.gateway(healthyCluster);
  const second = await cluster.gateway(healthyCluster);
  using talos = await openClient([first.address, second.address]);
  const ask = () => talos.node('node01').machine.memory({});
  await ask();
  first.kill();
  for (let call = 0; call < 4; call += 1) await ask();
  const before = second.calls.length;
  await using again = await FakeGateway.listen({
    identity: await cluster.serverCertificate(),
    clientCa: cluster.ca.certificate,
    handlers: healthyCluster,
    port: Number(first.address.split(':')[1]),
  });
  const isUsed = async () => {
    await ask();
    return again.calls.length > 0;
  };
  await eventually(isUsed, { what: 'a call by the endpoint that came back' });
  assert.equal(second.calls.length > before, true);
});

test('dispose closes every connection', async () => {
  const gateway = await cluster.gateway(healthyCluster);
  const talos = await openClient([gateway.address]);
  await talos.node('node01').machine.version({});
  assert.equal(gateway.connections, 1);
  talos[Symbol.dispose]();
  await eventually(() => gateway.connections === 0, { what: 'the end of the connection' });
});

test('waiting for many nodes at every endpoint takes one connection to each endpoint, and none afterwards', async () => {
  let isBack = false;
  let most = 0;
  const version: FakeHandler = (call) => {
    most = Math.max(most, first.connections, second.connections);
    if (!isBack && call.node !== 'node01') return call.fail(14, `${call.node}: no connection to the node`);
    return healthyCluster['/machine.MachineService/Version']?.(call);
  };
  const handlers = { ...healthyCluster, '/machine.MachineService/Version': version };
  const first = await cluster.gateway(handlers);
  const second = await cluster.gateway(handlers);
  using talos = await openClient([first.address, second.address]);
  const { signal } = new AbortController();
  const waits = Array.from({ length: 70 }, (_, at) =>
    awaitEndpoints(talos, talos.node(`node${String(at).padStart(2, '0')}`), signal),
  );
  // A node that is done leaves the others their connections.
  await waits[1];
  const asked = (gateway: FakeGateway) => new Set(gateway.calls.map(({ node }) => node)).size;
  await eventually(() => asked(first) === 70 && asked(second) === 70, { what: 'a call for every node' });
  isBack = true;
  await Promise.all(waits);
  assert.equal(most, 1);
  await eventually(() => first.connections + second.connections === 0, {
    what: 'the end of the connections',
  });
  // Another node can wait later.
  await awaitEndpoints(talos, talos.node('node71'), signal);
});

test('an aborted signal also cancels the call on the server', async () => {
  const arrived = Promise.withResolvers<AbortSignal>();
  const waiting: FakeHandler = (call) => arrived.resolve(call.signal);
  const gateway = await cluster.gateway({ '/machine.MachineService/Memory': waiting });
  using talos = await openClient([gateway.address]);
  const stop = new AbortController();
  const call = kindOf(talos.node('node01').machine.memory({}, { signal: stop.signal }));
  const remote = await arrived.promise;
  stop.abort();
  assert.equal(await call, 'cancelled: the call was cancelled');
  await eventually(() => remote.aborted, { what: 'the cancellation' });
});

test('a message may have at most 32 MiB', async () => {
  const path = '/machine.MachineService/Read';
  const gateway = await cluster.gateway({
    [path]: (call) => {
      const size = call.node === 'large' ? 33 * mebibyte : 31 * mebibyte;
      call.send(Data.encode(Data.fromPartial({ bytes: Buffer.alloc(size) })).finish());
      call.end();
    },
  });
  using talos = await openClient([gateway.address]);
  const read = async (node: string) => {
    let total = 0;
    for await (const { bytes } of talos.node(node).machine.read({ path: '/x' })) total += bytes.length;
    return total;
  };
  assert.equal(await read('small'), 31 * mebibyte);
  assert.match(await kindOf(read('large')), /^resource-exhausted: /);
});

test('an endpoint that drops packets delays no call, and as the only one it times out with its name', async () => {
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  scope.defer(() => void silent.close());
  const hole = `127.0.0.1:${(silent.address() as { port: number }).port}`;
  const gateway = await cluster.gateway(healthyCluster);
  using both = await openClient([hole, gateway.address]);
  await both.node('node01').machine.memory({});
  using alone = await openClient([hole], { connectTimeoutMs: 200 });
  assert.equal(
    await kindOf(alone.node('node01').machine.memory({})),
    `unavailable: endpoint ${hole}: connect timed out after 0.2s`,
  );
});

test('a context sends its cluster and its user with each call', async () => {
  const seen: unknown[] = [];
  const path = '/machine.MachineService/Memory';
  const gateway = await cluster.gateway({
    [path]: (call) => {
      const { runtime, context, authorization } = call.metadata;
      seen.push({ runtime, context, authorization });
      return healthyCluster[path]?.(call);
    },
  });
  const auth = { basic: { username: 'me', password: new Secret('word') } };
  using talos = await openClient([gateway.address], {
    context: { endpoints: [gateway.address], nodes: [], cluster: 'demo', auth },
  });
  await talos.node('node01').machine.memory({});
  assert.deepEqual(seen, [{ runtime: 'Talos', context: 'demo', authorization: 'Basic bWU6d29yZA==' }]);
});

test('a context that uses unsupported features is rejected', async () => {
  const context = { endpoints: ['a'], nodes: [] };
  assert.throws(() => openTalosClient({ context: { ...context, proxyUrl: 'socks5://x' } }), {
    kind: 'unimplemented',
    message: /^proxy-url "socks5:\/\/x" is not supported: use "direct" or /,
  });
  assert.throws(() => openTalosClient({ context: { ...context, auth: { siderov1: { identity: 'x' } } } }), {
    kind: 'unimplemented',
  });
  assert.throws(() => openTalosClient({ context: { endpoints: [], nodes: [] } }), {
    kind: 'failed-precondition',
  });
});

test('fanOut() calls the targets, or the given nodes', async () => {
  const gateway = await cluster.gateway(healthyCluster);
  using talos = await openClient([gateway.address], { nodes: ['a', 'b', 'a'] });
  const names = async (nodes?: readonly string[]) => {
    const results = await Array.fromAsync(
      talos.fanOut((node) => node.machine.version({}), nodes ? { nodes } : {}),
    );
    return results.map(({ node, fault }) => fault?.message ?? node).sort();
  };
  assert.deepEqual([await names(), await names(['c'])], [['a', 'b'], ['c']]);
});

test('a failed call has the code, the node and the hop', async () => {
  const texts: Record<string, string> = {
    far: 'no route to node "far": connect timed out after 15s (via node01)',
    here: 'no such thing',
  };
  const fail: FakeHandler = (call) => call.fail(14, texts[call.node ?? ''] ?? '');
  const gateway = await cluster.gateway({
    '/machine.MachineService/Memory': fail,
    '/machine.MachineService/Logs': fail,
    '/machine.MachineService/Version': (call) => call.drop(),
  });
  using talos = await openClient([gateway.address]);
  using nowhere = await openClient(['127.0.0.1:1']);
  const placeOf = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (failure: unknown) => failure,
    );
    assert.ok(error instanceof CallFault);
    const { kind, code, node, hop } = error;
    return { kind, code, node, hop };
  };
  const unavailable = { kind: 'unavailable', code: 14 };
  const logsOf = (node: string) =>
    Array.fromAsync(talos.node(node).machine.logs({ id: 'apid', namespace: 'system' }));
  assert.deepEqual(
    [
      await placeOf(talos.node('far').machine.memory({})),
      await placeOf(logsOf('far')),
      await placeOf(talos.node('here').machine.memory({})),
      await placeOf(talos.node('here').machine.version({})),
      await placeOf(nowhere.node('here').machine.version({})),
    ],
    [
      { ...unavailable, node: 'far', hop: 'node01' },
      { ...unavailable, node: 'far', hop: 'node01' },
      { ...unavailable, node: 'here', hop: undefined },
      { ...unavailable, node: 'here', hop: gateway.address },
      { ...unavailable, node: 'here', hop: '127.0.0.1:1' },
    ],
  );
  const results = await Array.fromAsync(talos.fanOut((node) => node.machine.memory({}), { nodes: ['far'] }));
  assert.deepEqual([results[0]?.fault?.node, results[0]?.fault?.hop], ['far', 'node01']);
});

test('leaving the iteration of a stream early also cancels the call on the server', async () => {
  const arrived = Promise.withResolvers<AbortSignal>();
  const gateway = await cluster.gateway({
    '/machine.MachineService/Logs': (call) => {
      arrived.resolve(call.signal);
      call.send(Data.encode(Data.fromPartial({ bytes: Buffer.from('line\n') })).finish());
    },
  });
  using talos = await openClient([gateway.address]);
  for await (const { bytes } of talos
    .node('a')
    .machine.logs({ id: 'apid', namespace: 'system', follow: true })) {
    assert.equal(String(bytes), 'line\n');
    break;
  }
  const remote = await arrived.promise;
  await eventually(() => remote.aborted, { what: 'the cancellation' });
});
