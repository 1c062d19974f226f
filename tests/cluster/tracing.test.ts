// One trace from the command line through every hop.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ReceivedSpan, type SpanNode, spanTree, startOtlpReceiver } from '@nodewright/testkit';
import type { Node } from './cluster.ts';
import { hostnamePatch } from './hostname-patch.ts';
import { openCluster } from './open-cluster.ts';

/** A span and all that it caused, when each caused one. */
const chain = ([first = '', ...rest]: readonly string[]): SpanNode => ({
  span: first,
  children: rest.length === 0 ? [] : [chain(rest)],
});

const method = 'machine.MachineService/Memory';

test('a command, both gateways on the way and machined share one trace, parent by parent', async () => {
  await using receiver = await startOtlpReceiver();
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint };
  await using cluster = await openCluster({ controlPlanes: 2, workers: 0 }, { environment });
  const [entry, target] = cluster.controlPlanes;
  assert.ok(entry !== undefined && target !== undefined);

  const { exitCode, stderr } = await cluster.talosctl('-e', entry.address, '-n', target.name, 'memory');
  assert.equal(exitCode, 0, stderr);

  const isRoot = ({ name }: { name: string }) => name === 'talosctl memory';
  const spans = await receiver.waitFor((received) => {
    const root = received.find(isRoot);
    return received.filter(({ traceId }) => traceId === root?.traceId).length === 8;
  });
  const root = spans.find(isRoot);
  assert.deepEqual(spanTree(spans, root?.traceId ?? ''), [
    chain([
      'talosctl: talosctl memory (internal)',
      `talosctl: ${method} (client)`,
      `apid: ${method} (server)`,
      `apid: ${method} (client)`,
      `apid: ${method} (server)`,
      `apid: ${method} (client)`,
      `machined: ${method} (server)`,
      'machined: read /proc/meminfo (internal)',
    ]),
  ]);
  const failed = spans.filter((span) => span.traceId === root?.traceId && span.failed);
  assert.deepEqual(failed, []);
});

test('log lines of a traced request carry its trace id', async () => {
  await using receiver = await startOtlpReceiver();
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint };
  await using cluster = await openCluster({ controlPlanes: 1, workers: 0 }, { environment });
  const { exitCode, stderr } = await cluster.talosctl('-n', 'node01', 'time');
  assert.equal(exitCode, 0, stderr);
  const spans = await receiver.waitFor((received) => received.some(({ name }) => name === 'talosctl time'));
  const traceId = spans.find(({ name }) => name === 'talosctl time')?.traceId;
  for (const daemon of ['apid', 'machined']) {
    const { stdout } = await cluster.talosctl('-n', 'node01', 'logs', daemon);
    const line = stdout.split('\n').find((text) => text.includes('/time.TimeService/Time"'));
    assert.match(line ?? '', new RegExp(`"trace_id":"${traceId}"`), daemon);
  }
});

test('one trace shows what a patch caused, from the command to the controllers', async () => {
  await using receiver = await startOtlpReceiver();
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint };
  await using traced = await openCluster({ controlPlanes: 1, workers: 0 }, { environment });
  const [node] = traced.nodes as [Node];
  const patched = await traced.talosctl('-n', node.name, 'patch', 'mc', '-p', hostnamePatch('traced'));
  assert.equal(patched.exitCode, 0, patched.stderr);

  const ofCommand = (spans: readonly ReceivedSpan[]) => {
    const root = spans.find(({ name }) => name === 'talosctl patch');
    return spans.filter(({ traceId }) => traceId === root?.traceId);
  };
  const controllersOf = (spans: readonly ReceivedSpan[]) =>
    ofCommand(spans)
      .filter(({ name }) => name === 'reconcile')
      .map(({ attributes }) => attributes['controller.name']);
  const spans = await receiver.waitFor((received) =>
    controllersOf(received).includes('secrets.APIController'),
  );
  const controllers = controllersOf(spans);
  for (const expected of [
    'config.PersistenceController',
    'network.HostnameConfigController',
    'network.HostnameSpecController',
    'secrets.APICertSANsController',
    'secrets.APIController',
  ]) {
    assert.ok(controllers.includes(expected), `${expected} is among ${controllers.join(', ')}`);
  }
  const command = ofCommand(spans);
  const byId = new Map(command.map((span) => [span.spanId, span]));
  const pass = command.find(({ attributes }) => attributes['controller.name'] === 'secrets.APIController');
  const above: string[] = [];
  for (let span = pass; span !== undefined; span = byId.get(span.parentSpanId)) above.unshift(span.name);
  assert.deepEqual(
    [above[0], above.includes('machine.MachineService/ApplyConfiguration'), above.at(-1)],
    ['talosctl patch', true, 'reconcile'],
  );
});
