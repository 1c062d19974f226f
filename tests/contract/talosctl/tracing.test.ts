// A trace begins with the command line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spanTree, startOtlpReceiver } from '@nodewright/testkit';
import { healthyCluster } from './replies.ts';
import { openSuite } from './suite.ts';

const traceparents: string[] = [];
const memory = '/machine.MachineService/Memory';
const suite = openSuite({
  ...healthyCluster,
  [memory]: (call) => {
    if (typeof call.metadata.traceparent === 'string') traceparents.push(call.metadata.traceparent);
    return healthyCluster[memory]?.(call);
  },
});

test('a command is the root of a trace with one span per call, and its context is sent to the nodes', async () => {
  await using receiver = await startOtlpReceiver();
  const { exitCode } = await suite.talosctl.run(['memory'], {
    environment: { TALOSCONFIG: suite.talosconfig, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint },
  });
  assert.equal(exitCode, 0);
  const spans = await receiver.waitFor((received) => received.length === 3);
  const traceId = traceparents[0]?.split('-')[1] as string;
  const call = { span: 'talosctl: machine.MachineService/Memory (client)', children: [] };
  assert.deepEqual(spanTree(spans, traceId), [
    { span: 'talosctl: talosctl memory (internal)', children: [call, call] },
  ]);
  assert.equal(traceparents.length, 2);
});

// Waiting for the exporter would take 10 minutes, so the time limit of the test would fail.
test('a collector that is unreachable, or never answers, does not delay a command', {
  timeout: 120_000,
}, async () => {
  const { createServer } = await import('node:net');
  const silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as { port: number };
  const results = await Promise.all(
    [`http://127.0.0.1:${port}`, 'http://127.0.0.1:1'].map((endpoint) =>
      suite.talosctl.run(['-n', 'node01', 'memory'], {
        environment: {
          TALOSCONFIG: suite.talosconfig,
          OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
          OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
        },
      }),
    ),
  );
  silent.close();
  assert.deepEqual(
    results.map(({ stderr, exitCode }) => ({ stderr, exitCode })),
    Array(2).fill({ stderr: '', exitCode: 0 }),
  );
});

test('without a collector no trace context is sent', async () => {
  const before = traceparents.length;
  await suite.run('-n', 'node01', 'memory');
  assert.equal(traceparents.length, before);
});
