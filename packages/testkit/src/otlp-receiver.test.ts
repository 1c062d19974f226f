import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTelemetry } from '@nodewright/telemetry';
import { startOtlpReceiver } from './otlp-receiver.ts';
import { spanTree } from './span-tree.ts';

test('an OTLP receiver returns the tree that was exported', async () => {
  await using receiver = await startOtlpReceiver();
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = receiver.endpoint;
  const telemetry = await openTelemetry({
    serviceName: 'unit',
    serviceVersion: '1',
    environment: process.env,
  });
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const root = telemetry.startSpan('root', {
    kind: 'client',
    attributes: { 'server.address': 'node01', 'server.port': 3 },
  });
  telemetry.withSpan(root, () => {
    for (const name of ['second', 'first']) telemetry.startSpan(name).end();
  });
  root.fail(new Error('no'));
  root.end();
  await telemetry[Symbol.asyncDispose]();

  const spans = await receiver.waitFor((received) => received.length === 3);
  assert.deepEqual(spanTree(spans, root.traceId ?? ''), [
    {
      span: 'unit: root (client)',
      children: [
        { span: 'unit: first (internal)', children: [] },
        { span: 'unit: second (internal)', children: [] },
      ],
    },
  ]);
  const received = spans.find(({ name }) => name === 'root');
  assert.deepEqual(
    [received?.attributes, received?.failed],
    [{ 'server.address': 'node01', 'server.port': 3, 'error.type': 'Error' }, true],
  );
});
