import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ports } from '@nodewright/contract';
import { ownAttributes, standardAttributes } from '@nodewright/telemetry';
import { spanTree, startOtlpReceiver } from '@nodewright/testkit';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { fail } from './harness/backend.ts';

const memory = '/machine.MachineService/Memory';
const traceId = '0af7651916cd43dd8448eb211c80319c';
const parent = `00-${traceId}-b7ad6b7169203331-01`;

test('a call creates a span of its own and one per hop, and the hop receives its span as parent', async () => {
  await using collector = await startOtlpReceiver();
  await using apid = await ApidUnderTest.start({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, OTEL_BSP_SCHEDULE_DELAY: '50' },
  });
  const peers = [await apid.peer('node02'), await apid.peer('node03')];
  const admin = await apid.client();
  await admin.call(memory, { metadata: [['traceparent', parent]] });
  await admin.call('/cosi.resource.State/Get', {
    metadata: [
      ['traceparent', parent],
      ['node', 'node02'],
    ],
  });
  await admin.call(memory, {
    metadata: [
      ['traceparent', parent],
      ['nodes', 'node02'],
      ['nodes', 'node03'],
    ],
  });
  apid.machined.behave = fail(13, 'out of luck');
  await admin.call(memory, {
    metadata: [
      ['traceparent', parent],
      ['x-failing', '1'],
    ],
  });

  const spans = await collector.waitFor((all) => all.filter((span) => span.traceId === traceId).length >= 9);
  const hop = (method: string) => ({ span: `apid: ${method} (client)`, children: [] });
  const call = (method: string, hops: number) => ({
    span: `apid: ${method} (server)`,
    children: Array.from({ length: hops }, () => hop(method)),
  });
  const tree = spanTree(spans, traceId).sort(
    (a, b) => a.span.localeCompare(b.span) || a.children.length - b.children.length,
  );
  assert.deepEqual(tree, [
    call('cosi.resource.State/Get', 1),
    call('machine.MachineService/Memory', 1),
    call('machine.MachineService/Memory', 1),
    call('machine.MachineService/Memory', 2),
  ]);

  // The metadata sent to the hop names the hop's span, in the same trace.
  const sent = [apid.machined, ...peers.map(({ backend }) => backend)]
    .flatMap(({ calls }) => calls)
    .map(({ values }) => values('traceparent'));
  const clients = spans.filter((span) => span.traceId === traceId && span.kind === 'client');
  assert.deepEqual(
    sent.map(([one, ...more]) => [one, more.length]).sort(),
    clients.map(({ spanId }) => [`00-${traceId}-${spanId}-01`, 0]).sort(),
  );

  const [toPeer] = clients.filter(({ name }) => name === 'cosi.resource.State/Get');
  assert.deepEqual(toPeer?.attributes, {
    'rpc.system.name': 'grpc',
    'rpc.method': 'cosi.resource.State/Get',
    'rpc.status_code': 'OK',
    'server.address': 'node02',
    'server.port': ports.apid,
  });
  const failed = spans.filter(({ attributes }) => attributes['rpc.status_code'] === 'INTERNAL');
  assert.deepEqual(failed.map(({ kind, attributes }) => [kind, attributes['error.type']]).sort(), [
    ['client', 'INTERNAL'],
    ['server', 'INTERNAL'],
  ]);
  const known: ReadonlySet<string> = new Set([...standardAttributes, ...Object.keys(ownAttributes)]);
  assert.deepEqual(
    spans.flatMap(({ attributes }) => Object.keys(attributes)).filter((name) => !known.has(name)),
    [],
  );
});

test('a call without a trace starts one of its own, and does not join that of the start of apid', async () => {
  await using collector = await startOtlpReceiver();
  await using apid = await ApidUnderTest.start({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      TRACEPARENT: parent,
    },
  });
  const admin = await apid.client();
  await admin.call(memory);
  await admin.call(memory);
  const isCall = ({ name, kind }: { name: string; kind: string }) =>
    name.endsWith('Memory') && kind === 'server';
  const spans = await collector.waitFor((all) => all.filter(isCall).length === 2);
  const traces = spans.filter(isCall).map((span) => span.traceId);
  assert.equal(new Set([traceId, ...traces]).size, 3, 'each call has a trace of its own');
});
