// Everything that a bootstrap causes belongs to one trace.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skipWithoutEtcd } from '@nodewright/etcd/testing';
import { type ReceivedSpan, startOtlpReceiver } from '@nodewright/testkit';
import { openProcessCluster } from './process-cluster.ts';

/** One word per relevant span, in the order of their start times. */
const wordOf = ({ service, name, kind, attributes }: ReceivedSpan): string[] => {
  if (name === 'talosctl bootstrap' || name === 'bootstrap etcd') return [`${service}: ${name}`];
  if (name === 'machine.MachineService/Bootstrap') return [`${service}: ${kind}`];
  if (name === 'service transition' && attributes['nodewright.service.id'] === 'etcd')
    return [`${service}: etcd ${attributes['nodewright.service.state']}`];
  return name.startsWith('etcd ') ? [`${service}: ${name}`] : [];
};

test('the trace of bootstrap shows the command, apid, machined, the service and the calls of etcd', {
  skip: skipWithoutEtcd(),
}, async () => {
  await using receiver = await startOtlpReceiver();
  await using cluster = await openProcessCluster(
    { controlPlanes: 1, workers: 0 },
    {
      etcd: true,
      flags: ['--skip-bootstrap'],
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint },
    },
  );
  const { exitCode, stderr } = await cluster.talosctl('-n', 'node01', 'bootstrap');
  assert.equal(exitCode, 0, stderr);
  const ofCommand = (spans: readonly ReceivedSpan[]) => {
    const root = spans.find(({ name }) => name === 'talosctl bootstrap');
    return new Set(spans.filter(({ traceId }) => traceId === root?.traceId).flatMap(wordOf));
  };
  const expected = [
    'talosctl: talosctl bootstrap',
    'talosctl: client',
    'apid: server',
    'apid: client',
    'machined: server',
    'machined: bootstrap etcd',
    'machined: etcd Starting',
    'machined: etcd Preparing',
    'machined: etcd Running',
    'machined: etcd Cluster/MemberList',
  ];
  const isWhole = (spans: readonly ReceivedSpan[]) => expected.every((word) => ofCommand(spans).has(word));
  const spans = await receiver.waitFor(isWhole);
  assert.deepEqual(
    [...ofCommand(spans)].filter((word) => /health|KV\//.test(word)),
    [],
  );
});
