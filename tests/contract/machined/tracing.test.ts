// The spans that machined adds to a trace.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { spanTree, startOtlpReceiver } from '@nodewright/testkit';
import { Metadata } from 'nice-grpc';
import { startNode } from './harness/node-under-test.ts';

test("a call continues its caller's trace, with a span for the read from the kernel", async () => {
  await using receiver = await startOtlpReceiver();
  await using node = await startNode({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, OTEL_BSP_SCHEDULE_DELAY: '100' },
  });
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const metadata = Metadata({ traceparent: `00-${traceId}-b7ad6b7169203331-01` });
  await node.client(MachineServiceDefinition, 'os:reader').memory({}, { metadata });
  const spans = await receiver.waitFor((all) => all.filter((span) => span.traceId === traceId).length >= 2);
  assert.deepEqual(spanTree(spans, traceId), [
    {
      span: 'machined: machine.MachineService/Memory (server)',
      children: [{ span: 'machined: read /proc/meminfo (internal)', children: [] }],
    },
  ]);
  const transitions = await receiver.waitFor((all) => all.some(({ name }) => name === 'service transition'));
  assert.ok(transitions.length > 0);
});
