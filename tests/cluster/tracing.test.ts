// One trace goes from the command line through every hop.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ReceivedSpan, type SpanNode, spanTree, startOtlpReceiver } from '@nodewright/testkit';
import type { Node } from './cluster.ts';
import { hostnamePatch } from './hostname-patch.ts';
import { openCluster } from './open-cluster.ts';

/** A chain of spans, each the only child of the previous one. */
const chain = ([first = '', ...rest]: readonly string[]): SpanNode => ({
  span: first,
  children: rest.length === 0 ? [] : [chain(rest)],
});

const method = 'machine.MachineService/Memory';

test('a command, both gateways on the way and machined share one trace, each the parent of the next', async () => {
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
  // The lines of successful reads have this level.
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, LOG_LEVEL: 'debug' };
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

test('the trace of a patch reaches from the command to the controllers', async () => {
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
  const expected = [
    'config.PersistenceController',
    'network.HostnameConfigController',
    'network.HostnameSpecController',
    'secrets.APICertSANsController',
    'secrets.APIController',
  ];
  /**
   * The names of the spans from the command to the pass of a controller; empty while one of them is missing.
   */
  const wayTo = (controller: string, spans: readonly ReceivedSpan[]): string[] => {
    const command = ofCommand(spans);
    const byId = new Map(command.map((span) => [span.spanId, span]));
    const ways = command
      .filter(({ attributes }) => attributes['nodewright.controller.name'] === controller)
      .map((pass) => {
        const way: string[] = [];
        for (
          let span: ReceivedSpan | undefined = pass;
          span !== undefined;
          span = byId.get(span.parentSpanId)
        )
          way.unshift(span.name);
        return way;
      });
    return ways.find(([root]) => root === 'talosctl patch') ?? [];
  };
  // Each process exports its spans at its own time. The trace is complete when every span has a path to the
  // command.
  const spans = await receiver.waitFor((received) =>
    expected.every((controller) => wayTo(controller, received).length > 0),
  );
  for (const controller of expected) {
    const way = wayTo(controller, spans);
    assert.ok(way.includes('machine.MachineService/ApplyConfiguration'), way.join(' > '));
    assert.equal(way.at(-1), 'reconcile');
  }
});

test('the trace of a bootstrap reaches from the command to the process of etcd and the calls to it', async () => {
  await using receiver = await startOtlpReceiver();
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, NODEWRIGHT_ETCD: '' };
  const flags = ['--skip-bootstrap'];
  await using traced = await openCluster({ controlPlanes: 1, workers: 0 }, { environment, flags });
  const { exitCode, stderr } = await traced.talosctl('-n', 'node01', 'bootstrap');
  assert.equal(exitCode, 0, stderr);

  const isRunning = ({ attributes }: ReceivedSpan) =>
    attributes['nodewright.service.id'] === 'etcd' && attributes['nodewright.service.state'] === 'Running';
  const isAsked = ({ name }: ReceivedSpan) => name === 'etcd Cluster/MemberList';
  /**
   * The names of the spans from the command to the node's work, without the command while one of its spans is
   * missing.
   */
  const wayOf = (spans: readonly ReceivedSpan[], step: ReceivedSpan): string[] => {
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const way: string[] = [];
    for (let span: ReceivedSpan | undefined = step; span !== undefined; span = byId.get(span.parentSpanId))
      way.unshift(span.name);
    return way;
  };
  const whole = (spans: readonly ReceivedSpan[]): string[] | undefined => {
    const step = spans.find(({ name }) => name === 'bootstrap etcd');
    if (step === undefined) return undefined;
    const below = spans.filter(({ parentSpanId }) => parentSpanId === step.spanId);
    const way = wayOf(spans, step);
    return way[0] === 'talosctl bootstrap' && below.some(isRunning) && below.some(isAsked) ? way : undefined;
  };
  const spans = await receiver.waitFor((received) => whole(received) !== undefined);
  const hops = whole(spans)?.slice(1, -1) ?? [];
  assert.deepEqual([...new Set(hops)], ['machine.MachineService/Bootstrap']);
  assert.ok(hops.length >= 4, hops.join(' > '));
});
