// One trace from the command line through every hop.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SpanNode, spanTree, startOtlpReceiver } from '@nodewright/testkit';
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
