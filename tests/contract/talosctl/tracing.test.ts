// A trace begins with the command line.
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
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

test('a collector that refuses connections costs a command at most 0.3 s, and a line with the endpoint once a day', async () => {
  const command = async (environment: Record<string, string>) => {
    const started = performance.now();
    const { stderr, exitCode } = await suite.talosctl.run(['-n', 'node01', 'memory'], {
      environment: { TALOSCONFIG: suite.talosconfig, TALOS_HOME: dirname(suite.talosconfig), ...environment },
    });
    assert.equal(exitCode, 0);
    return { stderr, tookMs: performance.now() - started };
  };
  const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://someone:secret@127.0.0.1:1' };
  const without: number[] = [];
  const refused: { readonly stderr: string; readonly tookMs: number }[] = [];
  // The quickest of several counts, because other tests use the same processors.
  for (let round = 0; round < 5; round += 1) {
    without.push((await command({})).tookMs);
    refused.push(await command(collector));
  }
  const moreMs = Math.min(...refused.map(({ tookMs }) => tookMs)) - Math.min(...without);
  assert.ok(moreMs < 300, `${moreMs} ms more`);
  const line =
    'warning: the trace of this command is lost: the collector at http://127.0.0.1:1 refuses connections\n';
  assert.deepEqual(
    refused.map(({ stderr }) => stderr),
    [line, '', '', '', ''],
  );
});

test('without a collector no trace context is sent', async () => {
  const before = traceparents.length;
  await suite.run('-n', 'node01', 'memory');
  assert.equal(traceparents.length, before);
});
