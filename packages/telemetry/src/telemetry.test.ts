import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { standardAttributes } from './attribute-names.ts';
import { createLogger } from './logger.ts';
import { noTelemetry } from './no-telemetry.ts';
import { isExportConfigured, openTelemetry } from './open-telemetry.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

const incoming = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('parseTraceparent() reverses formatTraceparent()', () => {
  const hex = (length: number) =>
    fc
      .array(fc.integer({ min: 0, max: 15 }), { minLength: length, maxLength: length })
      .map((digits) => digits.map((digit) => digit.toString(16)).join(''))
      .filter((text) => !/^0+$/.test(text));
  fc.assert(
    fc.property(hex(32), hex(16), fc.integer({ min: 0, max: 255 }), (traceId, spanId, flags) => {
      const parts = { traceId, spanId, flags };
      assert.deepEqual(parseTraceparent(formatTraceparent(parts)), parts);
    }),
  );
});

test('parseTraceparent() rejects the headers that the specification calls invalid', () => {
  const bad = [
    undefined,
    '',
    'nonsense',
    incoming.toUpperCase(),
    `ff${incoming.slice(2)}`,
    `${incoming}-more`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01`,
  ];
  assert.deepEqual(
    bad.map(parseTraceparent),
    bad.map(() => undefined),
  );
});

test('telemetry without an endpoint propagates the incoming trace and exports nothing', async () => {
  const telemetry = await openTelemetry({ serviceName: 'x', serviceVersion: '1', environment: {} });
  const span = telemetry.startSpan('call', { parent: incoming });
  const inner = telemetry.withSpan(span, () => telemetry.startSpan('inner').traceparent);
  assert.deepEqual([telemetry.enabled, span.traceparent, inner], [false, incoming, incoming]);
});

test('withSpanUntilSettled() ends the span for what its work has left running, not for later spans', async () => {
  const telemetry = await openTelemetry({ serviceName: 'x', serviceVersion: '1', environment: {} });
  const active = () => telemetry.activeSpan()?.traceparent;
  const [outer, inner, later] = [1, 2, 3].map((digit) => incoming.replace('b7ad', `b7a${digit}`));
  const spanOf = (parent: string | undefined) => telemetry.startSpan('work', { parent });
  const settled = Promise.withResolvers<void>();
  const left: Promise<unknown>[] = [];
  const during = await telemetry.withSpanUntilSettled(spanOf(outer), async () => {
    await null;
    // What is left behind by a span within belongs to no span either.
    for (const run of [
      (body: () => Promise<unknown>) => body(),
      (body: () => Promise<unknown>) => telemetry.withSpan(spanOf(inner), body),
    ])
      left.push(
        run(async () => {
          const before = active();
          await settled.promise;
          return [before, active(), telemetry.withSpan(spanOf(later), active)];
        }),
      );
    return active();
  });
  settled.resolve();
  assert.deepEqual(
    [during, ...(await Promise.all(left)), active()],
    [outer, [outer, undefined, later], [inner, undefined, later], undefined],
  );
});

test('isExportConfigured() requires an endpoint and honours the variables that disable export', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  assert.deepEqual(
    [
      {},
      endpoint,
      { ...endpoint, OTEL_SDK_DISABLED: 'true' },
      { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
    ].map(isExportConfigured),
    [false, true, false, false],
  );
});

test('telemetry with a collector exports spans that continue the incoming trace', async () => {
  const bodies: Buffer[] = [];
  const collector = createServer(async (request, response) => {
    for await (const chunk of request) bodies.push(chunk);
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as { port: number };
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${port}`;
  process.env.OTEL_RESOURCE_ATTRIBUTES = 'host.name=node%2007,service.version=other';
  try {
    const telemetry = await openTelemetry({
      serviceName: 'unit',
      serviceVersion: '1',
      environment: process.env,
    });
    const span = telemetry.startSpan('outer', { parent: incoming, kind: 'server' });
    const childTrace = telemetry.withSpan(span, () => {
      const child = telemetry.startSpan('inner');
      child.end();
      return child.traceId;
    });
    span.end();
    await telemetry[Symbol.asyncDispose]();
    assert.deepEqual([span.traceId, childTrace], Array(2).fill('0af7651916cd43dd8448eb211c80319c'));
    const sent = Buffer.concat(bodies);
    assert.deepEqual(
      ['outer', 'inner', 'unit', 'host.name', 'node 07', 'other'].map((text) => sent.includes(text)),
      [true, true, true, true, true, false],
    );
    const inResource = ['service.instance.id', 'nodejs', 'opentelemetry'];
    assert.deepEqual(
      [...inResource, ...standardAttributes.filter((name) => name.startsWith('telemetry.sdk.'))].filter(
        (text) => !sent.includes(text),
      ),
      [],
    );
  } finally {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    delete process.env.OTEL_RESOURCE_ATTRIBUTES;
    collector.close();
  }
});

test('a collector that refuses connections delays the end by at most 0.3 s, and is named without its password', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port } = closed.address() as { port: number };
  closed.close();
  await once(closed, 'close');
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://user:secret@127.0.0.1:${port}/path`;
  try {
    const refused: string[] = [];
    const telemetry = await openTelemetry({
      ...{ serviceName: 'unit', serviceVersion: '1', environment: process.env },
      onRefused: (endpoint) => void refused.push(endpoint),
    });
    telemetry.startSpan('work').end();
    const started = performance.now();
    await telemetry[Symbol.asyncDispose]();
    const tookMs = performance.now() - started;
    assert.ok(tookMs < 300, `${tookMs} ms`);
    assert.deepEqual(refused, [`http://127.0.0.1:${port}`]);
  } finally {
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  }
});

test('a process without certificate authorities trusts the public ones for a collector with TLS alone', async () => {
  const count = async (endpoint: string) => {
    const program = `
      import { getCACertificates } from 'node:tls';
      import { openTelemetry } from ${JSON.stringify(join(import.meta.dirname, 'open-telemetry.ts'))};
      await openTelemetry({ serviceName: 'x', serviceVersion: '1', environment: process.env });
      console.log(getCACertificates('default').length);
      process.exit();`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--use-openssl-ca', '--input-type=module', '--eval', program],
      {
        env: {
          SSL_CERT_FILE: '/dev/null',
          SSL_CERT_DIR: '/dev/null',
          OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        },
      },
    );
    return Number(stdout);
  };
  assert.equal(await count('http://127.0.0.1:4318'), 0);
  assert.ok((await count('https://127.0.0.1:4318')) > 100);
});

test('a log line is one JSON object with the ids of the active trace', () => {
  const lines: string[] = [];
  const log = createLogger({
    name: 'unit',
    telemetry: noTelemetry,
    destination: { write: (line) => lines.push(line) },
  });
  const span = noTelemetry.startSpan('call', { parent: incoming });
  noTelemetry.withSpan(span, () => log.info({ method: '/a.B/C' }, 'request finished'));
  const { time, ...line } = JSON.parse(lines.join(''));
  assert.equal(new Date(time).toISOString(), time);
  assert.deepEqual(line, {
    level: 'info',
    name: 'unit',
    method: '/a.B/C',
    msg: 'request finished',
    trace_id: '0af7651916cd43dd8448eb211c80319c',
    span_id: 'b7ad6b7169203331',
  });
});
