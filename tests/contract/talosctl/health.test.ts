// talosctl health, checked by a control plane and by the program itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HealthCheckProgress, HealthCheckRequest } from '@nodewright/contract/gen/cluster/cluster.ts';
import { ListResponse } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { Event, MachineStatusEvent, ServiceListResponse } from '@nodewright/contract/gen/machine/machine.ts';
import type { FakeHandler } from './fake-gateway.ts';
import { healthyCluster, reply } from './replies.ts';
import { finished, runToEnd } from './run-talosctl.ts';
import { openSuite } from './suite.ts';

const requests: HealthCheckRequest[] = [];

/** A gateway takes the calls to this node, but its machined does not run. */
const frozen = 'frozen';

const healthCheck: FakeHandler = (call) => {
  if (call.node === frozen) return;
  requests.push(HealthCheckRequest.decode(call.request));
  const say = (message: string) =>
    call.send(HealthCheckProgress.encode(HealthCheckProgress.fromPartial({ message })).finish());
  say('discovered nodes: ["10.0.0.1"]');
  say('waiting for apid to be ready: ...');
  if (call.node === 'sick') {
    say('waiting for apid to be ready: no route');
    return call.fail(4, 'context deadline exceeded');
  }
  if (call.node === 'stopped') return call.fail(1, 'context canceled');
  say('waiting for apid to be ready: OK');
  if (call.node !== 'endless') call.end();
};

const states: Readonly<Record<string, string>> = { broken: 'Failed', new: 'Preparing' };

const services: FakeHandler = (call) =>
  reply(call, ServiceListResponse, {
    messages: [
      {
        services: [
          {
            id: 'etcd',
            state: 'Running',
            events: { events: [{ state: states[call.node ?? ''] ?? 'Running', msg: 'x' }] },
            health: { healthy: true },
          },
        ],
      },
    ],
  });

const events: FakeHandler = (call) => {
  const value = Buffer.from(
    MachineStatusEvent.encode(MachineStatusEvent.fromPartial({ stage: 4, status: { ready: true } })).finish(),
  );
  const data = { typeUrl: 'talos/runtime/machine.MachineStatusEvent', value };
  call.send(
    Event.encode(Event.fromPartial({ id: 'a', data: { typeUrl: '', value: Buffer.alloc(0) } })).finish(),
  );
  call.send(Event.encode(Event.fromPartial({ id: 'b', data })).finish());
};

const members: FakeHandler = (call) => {
  if (call.node === frozen) return;
  if (call.node !== 'knowing') return call.fail(12, 'no resources');
  for (const yamlSpec of [
    'addresses: [node01, fd00::1]\nmachineType: controlplane\n',
    'addresses: [node02]\nmachineType: worker\n',
  ]) {
    const value = { resource: { metadata: { id: 'x' }, spec: { yamlSpec } } };
    call.send(ListResponse.encode(ListResponse.fromPartial(value)).finish());
  }
  call.end();
};

const suite = openSuite({
  ...healthyCluster,
  '/cluster.ClusterService/HealthCheck': healthCheck,
  '/machine.MachineService/ServiceList': services,
  '/machine.MachineService/Events': events,
  '/cosi.resource.State/List': members,
});

test("health prints the control plane's lines on standard error, and succeeds when it does", async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node01', 'health');
  assert.deepEqual(
    { stdout, stderr, exitCode },
    {
      stdout: '',
      stderr: 'discovered nodes: ["10.0.0.1"]\nwaiting for apid to be ready: OK\n',
      exitCode: 0,
    },
  );
  assert.deepEqual(requests.at(-1), {
    waitTimeout: { seconds: 1200n, nanos: 0 },
    clusterInfo: { controlPlaneNodes: [], workerNodes: [], forceEndpoint: '' },
  });
});

test('health sends its nodes and its timeout to the control plane', async () => {
  const words = [
    '--wait-timeout',
    '1m0.5s',
    '--control-plane-nodes',
    'b,c',
    '--worker-nodes',
    'd',
    '--init-node',
    'a',
  ];
  await suite.run('-n', 'node01', 'health', ...words, '--k8s-endpoint', 'https://k');
  assert.deepEqual(requests.at(-1), {
    waitTimeout: { seconds: 60n, nanos: 500_000_000 },
    clusterInfo: { controlPlaneNodes: ['a', 'b', 'c'], workerNodes: ['d'], forceEndpoint: 'https://k' },
  });
});

test("health fails when the control plane's check fails, and its document has the reason", async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'sick', 'health', '-o', 'json');
  assert.equal(exitCode, 1);
  assert.match(
    stderr,
    /error from node sick: rpc error: code = DeadlineExceeded desc = context deadline exceeded\n$/,
  );
  assert.deepEqual(JSON.parse(stdout), {
    node: 'sick',
    healthy: false,
    checks: [{ check: 'apid to be ready', state: 'no route' }],
    error: { code: 'DeadlineExceeded', message: 'context deadline exceeded' },
  });
});

test('health of a check that was cancelled elsewhere succeeds without claiming that the cluster is healthy', async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'stopped', 'health', '-o', 'json');
  assert.equal(exitCode, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { node: 'stopped', healthy: false, checks: [] });
});

test('health accepts one node, and rejects what it does not support', async () => {
  const [two, e2e] = await Promise.all([suite.run('health'), suite.run('-n', 'a', 'health', '--run-e2e')]);
  assert.deepEqual([two.exitCode, e2e.exitCode], [1, 1]);
  assert.match(
    two.stderr,
    /^error: health works on one node, and 2 are named; use flag --nodes; see "talosctl health --help"\n$/,
  );
  assert.match(e2e.stderr, /^error: flag --run-e2e is not implemented: /);
});

test('Ctrl-C ends health without a failure', async () => {
  const child = suite.talosctl.start(['-n', 'endless', 'health'], {
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  const result = finished(child);
  child.stderr?.on('data', (text) => {
    if (String(text).includes(': OK')) child.kill('SIGINT');
  });
  assert.equal((await result).exitCode, 0);
});

test('health --server=false runs the same checks locally', async () => {
  const { stdout, stderr, exitCode } = await suite.run(
    ...['-n', 'knowing', 'health', '--server=false', '--wait-timeout', '20s', '-o', 'json'],
  );
  assert.equal(exitCode, 0, stderr);
  assert.match(stderr, /^discovered nodes: \["node01" "node02"\]\nwaiting for etcd to be healthy: OK\n/);
  const { healthy, checks } = JSON.parse(stdout);
  assert.equal(healthy, true);
  assert.deepEqual(
    checks.slice(0, 10).map(({ state }: { state: string }) => state),
    ['OK', 'SKIP', 'SKIP', 'SKIP', 'OK', 'OK', 'SKIP', 'SKIP', 'SKIP', 'OK'],
  );
});

test('health --server accepts only boolean values', async () => {
  for (const word of ['maybe', '', 'no']) {
    const { stdout, stderr, exitCode } = await suite.run('-n', 'knowing', 'health', `--server=${word}`);
    const reason = `option --server must be true or false, not ${JSON.stringify(word)}`;
    assert.ok(stderr.startsWith(`error: ${reason}; see "talosctl health --help"\n`), stderr);
    assert.deepEqual([stdout, exitCode], ['', 1]);
  }
});

test('health --server=false names the check that does not succeed', async () => {
  const words = ['--control-plane-nodes', 'node01,broken', '--wait-timeout', '1s'];
  const { stderr, exitCode } = await suite.run('-n', 'node01', 'health', '--server=false', ...words);
  assert.equal(exitCode, 1);
  assert.match(
    stderr,
    /waiting for etcd to be healthy: service "etcd" of node broken is Failed, not Running \(x\)\n/,
  );
  assert.match(
    stderr,
    /DeadlineExceeded desc = the cluster is not healthy after 1s of waiting for etcd to be healthy: /,
  );
});

test('health ends with its timeout when the node answers nothing, and its document says so', async () => {
  const messages = {
    '--server': 'the checks on node frozen did not end within 1 s',
    '--server=false': 'no answer within 1 s',
  };
  for (const [server, message] of Object.entries(messages)) {
    const words = ['-n', frozen, 'health', server, '--wait-timeout', '1s', '-o', 'json'];
    const { stdout, stderr, exitCode } = await runToEnd(suite, words);
    assert.equal(exitCode, 1, stderr);
    assert.equal(stderr, `error from node frozen: rpc error: code = DeadlineExceeded desc = ${message}\n`);
    const error = { code: 'DeadlineExceeded', message };
    assert.deepEqual(JSON.parse(stdout), { node: frozen, healthy: false, checks: [], error });
  }
});

test('health takes a timeout of many days', async () => {
  for (const server of ['--server', '--server=false']) {
    const words = ['-n', 'knowing', 'health', server, '--wait-timeout', '1000h'];
    const { stderr, exitCode } = await suite.run(...words);
    assert.equal(exitCode, 0, stderr);
  }
});

test('health gives advice for a cluster that was never bootstrapped', async () => {
  const words = ['--control-plane-nodes', 'new', '--wait-timeout', '1s'];
  const { stderr, exitCode } = await suite.run('-n', 'node01', 'health', '--server=false', ...words);
  assert.equal(exitCode, 1);
  assert.match(
    stderr,
    /service "etcd" of node new is Preparing, not Running \(x\): no control plane has been bootstrapped yet: run "talosctl bootstrap"/,
  );
});

test('health --server=false names the flags that it needs when the node knows no other nodes', async () => {
  const { stderr, exitCode } = await suite.run('-n', 'node01', 'health', '--server=false');
  assert.equal(exitCode, 1);
  assert.match(
    stderr,
    /node node01 has no list of the nodes .* with --control-plane-nodes and --worker-nodes\n$/,
  );
});
