import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { TraceCalls } from './trace-calls.ts';

const { signal } = new AbortController();
const id = 'a'.repeat(32);

/** A Jaeger that answers everything with this text. */
async function openJaeger(text: string, status = 200) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const span = (spanID: string, operationName: string, parent?: string) => ({
  ...{ spanID, operationName, processID: 'p1', startTime: 1_700_000_000_000_000, duration: 2500 },
  references: parent === undefined ? [] : [{ refType: 'CHILD_OF', spanID: parent }],
  tags: [{ key: 'error', value: parent !== undefined }],
});
const trace = {
  traceID: id,
  spans: [span('1', 'machine.MachineService/Memory'), span('2', 'read /proc/meminfo', '1')],
  processes: { p1: { serviceName: 'machined', tags: [{ key: 'host.name', value: 'node01' }] } },
};

test('traces of a Jaeger are listed once each, and read by their id', async () => {
  await using jaeger = await openJaeger(JSON.stringify({ data: [trace] }));
  const calls = new TraceCalls({ jaeger: jaeger.url });
  assert.deepEqual(await calls.list(false, signal), {
    source: 'jaeger',
    traces: [
      {
        ...{ id, name: 'machine.MachineService/Memory', startMs: 1_700_000_000_000, durationMs: 2.5 },
        ...{ spans: 2, services: ['machined'], nodes: ['node01'], failed: 1 },
      },
    ],
  });
  const { spans } = await calls.read(id, signal);
  assert.deepEqual(
    spans.map(({ id: own, parent, hasFailed }) => [own, parent, hasFailed]),
    [
      ['1', '', false],
      ['2', '1', true],
    ],
  );
  assert.equal(jaeger.asked.at(-1), `/api/traces/${id}`);
});

test('what is no id of a trace is never asked for', async () => {
  await using jaeger = await openJaeger('{"data":[]}');
  const calls = new TraceCalls({ jaeger: jaeger.url });
  for (const wrong of [undefined, 7, '', '../../x', id.toUpperCase(), `${id}0`, { id }]) {
    await assert.rejects(calls.read(wrong, signal), { kind: 'invalid-argument' });
  }
  assert.deepEqual(jaeger.asked, []);
});

test('a server that is no Jaeger is named in the failure', async () => {
  for (const [text, status] of [
    ['<html>', 200],
    ['null', 200],
    ['[]', 500],
  ] as const) {
    await using jaeger = await openJaeger(text, status);
    const list = new TraceCalls({ jaeger: jaeger.url }).list(false, signal);
    await assert.rejects(list, { kind: 'unavailable', message: /127\.0\.0\.1/ });
  }
  const nobody = new TraceCalls({ jaeger: 'http://127.0.0.1:1' }).list(false, signal);
  await assert.rejects(nobody, { kind: 'unavailable', message: /Jaeger does not answer at/ });
});

test('an answer of any form gives a list and spans, of limited length', async () => {
  const long = 'x'.repeat(10_000);
  const whole = {
    ...trace,
    spans: [null, 7, [], { ...span('3', long), references: {}, tags: [null, { key: {} }] }],
  };
  const odd = [null, 7, [], {}, { traceID: long, spans: [] }, { traceID: id, spans: 7 }];
  await using jaeger = await openJaeger(
    JSON.stringify({ data: [...odd, { ...whole, processes: null }, { traceID: id, spans: whole.spans }] }),
  );
  const calls = new TraceCalls({ jaeger: jaeger.url });
  const { traces } = await calls.list(true, signal);
  assert.deepEqual(
    traces.map(({ id: own, spans, services }) => [own, spans, services]),
    [[id, 4, []]],
  );
  const { spans } = await calls.read(id, signal);
  assert.ok(spans.every(({ name, service }) => name.length <= 2001 && service === ''));
});

test('the list has the newest 300 traces, and a trace 5,000 spans', async () => {
  const many = Array.from({ length: 400 }, (_, at) => ({
    ...trace,
    traceID: String(at).padStart(32, '0'),
    spans: [{ ...span('1', 'x'), startTime: at }],
  }));
  const large = { ...trace, spans: Array.from({ length: 6000 }, (_, at) => span(String(at), 'x')) };
  await using list = await openJaeger(JSON.stringify({ data: many }));
  const { traces } = await new TraceCalls({ jaeger: list.url }).list(true, signal);
  assert.deepEqual([traces.length, traces[0]?.id], [300, '399'.padStart(32, '0')]);
  await using one = await openJaeger(JSON.stringify({ data: [large] }));
  assert.equal((await new TraceCalls({ jaeger: one.url }).read(id, signal)).spans.length, 5000);
});

test('a Jaeger that sends too much is not read to its end', async () => {
  await using jaeger = await openJaeger(' '.repeat(33 * 1024 * 1024));
  const answer = new TraceCalls({ jaeger: jaeger.url }).read(id, signal);
  await assert.rejects(answer, { kind: 'resource-exhausted' });
});

test('the Jaeger of a cluster of containers is found by the state of the cluster', async () => {
  await using jaeger = await openJaeger(JSON.stringify({ data: [trace] }));
  const folder = mkdtempSync(join(tmpdir(), 'traces-'));
  const state = [
    'provisionername: docker',
    'phase: created',
    'clusterinfo: { clustername: lab, network: { cidrs: [], gatewayaddrs: [] }, nodes: [], kubernetesendpoint: "" }',
    'request: { controlplanes: 1, workers: 0, patchdigest: "" }',
    `docker: { tag: dev, jaegerport: ${new URL(jaeger.url).port}, otlpport: 1, publishedports: {}, engine: {} }`,
  ];
  writeFileSync(join(folder, 'state.yaml'), state.join('\n'));
  try {
    const { source, traces } = await new TraceCalls({ folder }).list(false, signal);
    assert.deepEqual([source, traces.length], ['jaeger', 1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a Jaeger that does not have a trace, and a cluster that keeps none, answer with nothing', async () => {
  await using jaeger = await openJaeger('{"data":null}', 404);
  assert.deepEqual(await new TraceCalls({ jaeger: jaeger.url }).read(id, signal), { spans: [] });
  for (const settings of [{}, { folder: tmpdir() }]) {
    const calls = new TraceCalls(settings);
    assert.deepEqual(await calls.list(true, signal), { source: 'none', traces: [] });
    assert.deepEqual(await calls.read(id, signal), { spans: [] });
  }
});
