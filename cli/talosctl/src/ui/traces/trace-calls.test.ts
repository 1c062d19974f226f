import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
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

test('a Jaeger that does not have a trace, and a cluster that keeps none, answer with nothing', async () => {
  await using jaeger = await openJaeger('{"data":null}', 404);
  assert.deepEqual(await new TraceCalls({ jaeger: jaeger.url }).read(id, signal), { spans: [] });
  for (const settings of [{}, { folder: tmpdir() }]) {
    const calls = new TraceCalls(settings);
    assert.deepEqual(await calls.list(true, signal), { source: 'none', traces: [] });
    assert.deepEqual(await calls.read(id, signal), { spans: [] });
  }
});
