// Endpoints die: before a call, during it, and after a part of the answer.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { unknownNodeReason } from '@nodewright/contract';
import { Data } from '@nodewright/contract/gen/common/common.ts';
import { FakeCluster } from './fake-cluster.ts';
import type { FakeGateway, FakeHandler } from './fake-gateway.ts';
import { healthyCluster } from './replies.ts';
import { Talosctl, type TalosctlResult } from './run-talosctl.ts';
import { sortedRows } from './suite.ts';

const memoryPath = '/machine.MachineService/Memory';
const restartPath = '/machine.MachineService/ServiceRestart';

const scope = new AsyncDisposableStack();
let talosctl: Talosctl;
let cluster: FakeCluster;
before(async () => {
  talosctl = scope.use(await Talosctl.open());
  cluster = scope.use(await FakeCluster.create());
});
after(() => scope.disposeAsync());

/** Runs a command against these gateways. */
async function runVia(gateways: readonly FakeGateway[], words: readonly string[]): Promise<TalosctlResult> {
  const endpoints = gateways.map(({ address }) => address);
  const config = await cluster.talosconfig({ endpoints }, `config-${Math.random()}`);
  return talosctl.run(words, { environment: { TALOSCONFIG: config } });
}

/** Gateways that disconnect during their first calls of a method, `drops` in all, and answer later ones. */
async function droppingGateways(
  count: number,
  path: string,
  drops: number,
  drop: FakeHandler = (call) => call.drop(),
): Promise<FakeGateway[]> {
  let dropped = 0;
  const handler: FakeHandler = (call) => {
    if (dropped >= drops) return healthyCluster[path]?.(call);
    dropped += 1;
    drop(call);
  };
  return Promise.all(
    Array.from({ length: count }, () => cluster.gateway({ ...healthyCluster, [path]: handler })),
  );
}

function callsOf(gateways: readonly FakeGateway[], path: string): number {
  return gateways.flatMap(({ calls }) => calls).filter((call) => call.path === path).length;
}

test('calls alternate between the reachable endpoints', async () => {
  const gateways = await Promise.all([1, 2, 3].map(() => cluster.gateway(healthyCluster)));
  const nodes = Array.from({ length: 30 }, (_, index) => `n${index}`).join(',');
  const { exitCode, stdout } = await runVia(gateways, ['-n', nodes, 'memory']);
  assert.deepEqual([exitCode, sortedRows(stdout).length, callsOf(gateways, memoryPath)], [0, 30, 30]);
});

test('an unreachable endpoint causes no failure', async () => {
  const gateways = await Promise.all([1, 2, 3].map(() => cluster.gateway(healthyCluster)));
  gateways[0]?.kill();
  gateways[1]?.kill();
  const results = await Promise.all([1, 2, 3].map(() => runVia(gateways, ['-n', 'node01,node02', 'memory'])));
  for (const { stderr, exitCode } of results)
    assert.deepEqual({ stderr, exitCode }, { stderr: '', exitCode: 0 });
});

test('when no endpoint can be reached, each is listed with its reason', async () => {
  const gateways = await Promise.all([1, 2].map(() => cluster.gateway(healthyCluster)));
  const addresses = gateways.map(({ address }) => address);
  for (const gateway of gateways) gateway.kill();
  const { stdout, stderr, exitCode } = await runVia(gateways, ['-n', 'node01', 'memory']);
  const [line = '', ...more] = stderr.trimEnd().split('\n');
  assert.deepEqual(
    {
      reasons: line
        .replace('error from node node01: rpc error: code = Unavailable desc = ', '')
        .split('; ')
        .sort(),
      more,
      exitCode,
      rows: sortedRows(stdout),
    },
    {
      reasons: addresses.map((address) => `endpoint ${address}: connection refused`).sort(),
      more: [
        '"talosctl config info" shows the endpoints in use, "talosctl cluster show" a cluster on this machine',
      ],
      exitCode: 1,
      rows: [],
    },
  );
});

test('a read whose connection breaks is retried once, by another endpoint', async () => {
  const gateways = await droppingGateways(3, memoryPath, 1);
  const { stderr, exitCode } = await runVia(gateways, ['-n', 'node01', 'memory']);
  assert.deepEqual(
    { stderr, exitCode, calls: callsOf(gateways, memoryPath) },
    { stderr: '', exitCode: 0, calls: 2 },
  );
  assert.deepEqual(gateways.map(({ calls }) => calls.length).sort(), [0, 1, 1]);
});

test('a read whose connection breaks after the response headers is retried as well', async () => {
  const dropBegun: FakeHandler = (call) => {
    call.begin();
    setTimeout(() => call.drop(), 50);
  };
  const paths = { memory: memoryPath, logs: '/machine.MachineService/Logs' };
  for (const [verb, path] of Object.entries(paths)) {
    const gateways = await droppingGateways(3, path, 1, dropBegun);
    const words = verb === 'logs' ? ['logs', 'apid'] : [verb];
    const { stderr, exitCode } = await runVia(gateways, ['-n', 'node01', ...words]);
    assert.deepEqual(
      { verb, stderr, exitCode, calls: callsOf(gateways, path) },
      { verb, stderr: '', exitCode: 0, calls: 2 },
    );
  }
});

test('a read is tried at most twice', async () => {
  const gateways = await droppingGateways(3, memoryPath, 3);
  const { stderr, exitCode } = await runVia(gateways, ['-n', 'node01', 'memory']);
  assert.match(
    stderr,
    /^error from node node01: rpc error: code = Unavailable desc = the connection to endpoint 127\.0\.0\.1:\d+ was lost before it answered\n$/,
  );
  assert.deepEqual({ exitCode, calls: callsOf(gateways, memoryPath) }, { exitCode: 1, calls: 2 });
});

test('a read by the only endpoint is not retried', async () => {
  const gateways = await droppingGateways(1, memoryPath, 1);
  const { exitCode } = await runVia(gateways, ['-n', 'node01', 'memory']);
  assert.deepEqual({ exitCode, calls: callsOf(gateways, memoryPath) }, { exitCode: 1, calls: 1 });
});

test('a write whose connection breaks is never retried, and the error explains why', async () => {
  const gateways = await droppingGateways(3, restartPath, 1);
  const { stderr, exitCode } = await runVia(gateways, ['-n', 'node01', 'service', 'apid', 'restart']);
  assert.match(
    stderr,
    /was lost before it answered; it was not sent again, because it may have been carried out\n$/,
  );
  assert.deepEqual({ exitCode, calls: callsOf(gateways, restartPath) }, { exitCode: 1, calls: 1 });
});

test('a write is retried by another endpoint when the first never processed it', async () => {
  const gateways = await Promise.all([1, 2, 3].map(() => cluster.gateway(healthyCluster)));
  gateways[0]?.kill();
  gateways[2]?.kill();
  const { exitCode } = await runVia(gateways, ['-n', 'node01', 'service', 'apid', 'restart']);
  assert.deepEqual({ exitCode, calls: callsOf(gateways, restartPath) }, { exitCode: 0, calls: 1 });
});

const sayUnknown: FakeHandler = (call) => {
  const reason = `${unknownNodeReason} (ENOTFOUND)`;
  call.fail(14, `no route to node "${call.node}": ${reason} (via cp-1)`);
};

test('a read of a node that endpoints do not know is tried with each of the others', async () => {
  const paths = { memory: memoryPath, logs: '/machine.MachineService/Logs' };
  for (const [verb, path] of Object.entries(paths)) {
    const gateways = await droppingGateways(3, path, 2, sayUnknown);
    const words = verb === 'logs' ? ['logs', 'apid'] : [verb];
    const { stderr, exitCode } = await runVia(gateways, ['-n', 'node01', ...words]);
    assert.deepEqual(
      { verb, stderr, exitCode, calls: gateways.map(({ calls }) => calls.length) },
      { verb, stderr: '', exitCode: 0, calls: [1, 1, 1] },
    );
  }
});

test('when no endpoint knows a node, the error has the number of endpoints tried', async () => {
  const rows = [
    { up: 1, down: 0, says: 'the only endpoint was asked' },
    { up: 3, down: 0, says: 'all 3 endpoints were asked' },
    { up: 2, down: 1, says: '2 of 3 endpoints were asked, no other could be reached' },
  ];
  for (const { up, down, says } of rows) {
    const gateways = await droppingGateways(up + down, memoryPath, 9, sayUnknown);
    for (const gateway of gateways.slice(up)) gateway.kill();
    const { stderr, exitCode } = await runVia(gateways, ['-n', 'node77', 'memory']);
    const [line] = stderr.split('\n');
    assert.deepEqual(
      { line, exitCode, calls: gateways.map((gateway) => callsOf([gateway], memoryPath)) },
      {
        line: `error from node node77: rpc error: code = Unavailable desc = no route to node "node77": ${unknownNodeReason} (no such host); ${says} (via cp-1)`,
        exitCode: 1,
        calls: gateways.map((_, index) => (index < up ? 1 : 0)),
      },
    );
  }
});

test('a write for a node that the endpoint does not know is not retried, and the error says that another may know it', async () => {
  const gateways = await droppingGateways(3, restartPath, 9, sayUnknown);
  const { stderr, exitCode } = await runVia(gateways, ['-n', 'node01', 'service', 'apid', 'restart']);
  assert.match(
    stderr,
    /; 1 of 3 endpoints was asked: another one may know the node, but a change is sent to one endpoint only \(via cp-1\)\n/,
  );
  assert.deepEqual({ exitCode, calls: callsOf(gateways, restartPath) }, { exitCode: 1, calls: 1 });
});

test('the received part of a broken stream is printed, and the stream is not restarted', async () => {
  const path = '/machine.MachineService/Logs';
  const handler: FakeHandler = (call) => {
    call.send(Data.encode(Data.fromPartial({ bytes: Buffer.from('one\ntwo') })).finish());
    setTimeout(() => call.drop(), 50);
  };
  const gateways = await Promise.all([1, 2].map(() => cluster.gateway({ [path]: handler })));
  const { stdout, stderr, exitCode } = await runVia(gateways, ['-n', 'node01', 'logs', '-f', 'apid']);
  assert.match(stderr, /desc = the connection to endpoint \S+ was lost in the middle of the answer\n$/);
  assert.deepEqual(
    { stdout, exitCode, calls: callsOf(gateways, path) },
    { stdout: 'node01: one\nnode01: two\n', exitCode: 1, calls: 1 },
  );
});

test('when an endpoint reports that its node broke mid-answer, the error names the node as hop, not the endpoint', async () => {
  const broken = 'node "node01" closed the connection in the middle of its answer (via cp-1)';
  const chunk = Data.encode(Data.fromPartial({ bytes: Buffer.from('a line\n') })).finish();
  const gateway = await cluster.gateway({
    ...healthyCluster,
    '/machine.MachineService/Logs': (call) => {
      call.send(chunk);
      call.fail(14, broken);
    },
    // Response headers, no message, and the status in trailers: the remains of an interrupted answer.
    [memoryPath]: (call) => {
      call.begin();
      call.fail(14, broken);
    },
  });
  const expected = `error from node node01: rpc error: code = Unavailable desc = ${broken}\n`;
  for (const words of [['logs', 'machined'], ['memory']]) {
    const { stderr, exitCode } = await runVia([gateway], ['-n', 'node01', ...words]);
    assert.deepEqual({ stderr, exitCode }, { stderr: expected, exitCode: 1 });
  }
});
