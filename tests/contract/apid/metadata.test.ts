import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { reply } from './harness/backend.ts';
import { fieldOf, fieldsOf } from './harness/client.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const apid = scope.use(await ApidUnderTest.start());
const peer = await apid.peer('node02');
const admin = await apid.client();

const memory = '/machine.MachineService/Memory';

test('apid forwards metadata unchanged, binary and repeated values too, and drops connection-level fields', async () => {
  await admin.call(memory, {
    metadata: [
      ['x-many', '2'],
      ['x-other', 'a, b'],
      ['x-many', '1'],
      ['x-raw-bin', 'AAECAwT//g'],
      ['x-latin', 'caf\u00e9'],
      ['runtime', 'Talos'],
      ['content-length', '5'],
      ['grpc-encoding', 'identity'],
      ['grpc-accept-encoding', 'identity,gzip'],
      ['user-agent', 'grpc-go/1.83.0'],
      ['grpc-status', '7'],
    ],
  });
  const call = apid.machined.calls.at(-1);
  const names = [
    'x-many',
    'x-other',
    'x-raw-bin',
    'x-latin',
    'runtime',
    'content-length',
    'grpc-encoding',
    'grpc-accept-encoding',
    'grpc-status',
    'te',
    'content-type',
    ':authority',
    ':scheme',
  ];
  assert.deepEqual(Object.fromEntries(names.map((name) => [name, call?.values(name)])), {
    'x-many': ['2', '1'],
    'x-other': ['a, b'],
    'x-raw-bin': ['AAECAwT//g'],
    'x-latin': ['caf\u00e9'],
    runtime: ['Talos'],
    'content-length': [],
    'grpc-encoding': ['identity'],
    'grpc-accept-encoding': ['identity,gzip'],
    'grpc-status': [],
    te: ['trailers'],
    'content-type': ['application/grpc'],
    ':authority': ['localhost'],
    ':scheme': ['http'],
  });
  assert.match(call?.values('user-agent').join() ?? '', /^nodewright-apid\/v1\./);
});

test('apid sends node, nodes and proxyfrom to machined unchanged', async () => {
  await admin.call(memory, {
    metadata: [
      ['proxyfrom', '10.5.0.2:50000'],
      ['node', 'node02'],
      ['nodes', 'node02'],
      ['nodes', 'node03'],
    ],
  });
  const call = apid.machined.calls.at(-1);
  assert.deepEqual(
    ['proxyfrom', 'node', 'nodes'].map((name) => call?.values(name)),
    [['10.5.0.2:50000'], ['node02'], ['node02', 'node03']],
  );
});

test('apid forwards response headers and trailers, repeated and binary values too', async () => {
  apid.machined.behave = (call) => {
    call.stream.resume();
    call.respond({ 'x-head': ['2', '1'], 'x-head-bin': 'AAE' });
    call.finish({
      'grpc-status': '9',
      'grpc-message': 'half %C3%A4',
      'x-trail': ['b', 'a'],
      'x-trail-bin': '/w',
    });
  };
  const { headers, trailers, code, message } = await admin.call(memory);
  assert.deepEqual(
    {
      code,
      message,
      head: fieldsOf(headers, 'x-head'),
      headBin: fieldsOf(headers, 'x-head-bin'),
      trail: fieldsOf(trailers, 'x-trail'),
      trailBin: fieldsOf(trailers, 'x-trail-bin'),
    },
    {
      code: 9,
      message: 'half \u00e4',
      head: ['2', '1'],
      headBin: ['AAE'],
      trail: ['b', 'a'],
      trailBin: ['/w'],
    },
  );
  apid.machined.behave = reply();
});

test('apid accepts every gRPC content type and forwards it', async () => {
  const types = [
    'application/grpc',
    'application/grpc+proto',
    'application/grpc+proxy>proto',
    'application/grpc;x=y',
  ];
  for (const type of types) {
    const { code } = await admin.call(memory, { head: { 'content-type': type } });
    assert.deepEqual([code, apid.machined.calls.at(-1)?.values('content-type')], [0, [type]]);
  }
});

test('apid refuses requests that are not gRPC, with the statuses of HTTP and of gRPC', async () => {
  const before = apid.machined.calls.length;
  const results = [
    await admin.call(memory, { head: { 'content-type': 'application/json' } }),
    await admin.call(memory, { head: { ':method': 'GET' } }),
    await admin.call('/nonsense'),
    await admin.call(memory, { metadata: [['grpc-timeout', 'soon']] }),
  ];
  assert.deepEqual(
    results.map(({ httpStatus, code, message, headers }) => [
      httpStatus,
      fieldOf(headers, 'content-type'),
      code,
      message,
    ]),
    [
      [415, 'application/grpc', 3, 'content-type must be application/grpc, not "application/json"'],
      [405, 'application/grpc', 13, 'gRPC calls use POST, not GET'],
      [200, 'application/grpc', 12, 'malformed method name: "/nonsense"'],
      [200, 'application/grpc', 13, 'malformed grpc-timeout: "soon"'],
    ],
  );
  assert.equal(apid.machined.calls.length, before);
});

test('apid sends the remaining time to the next hop', async () => {
  for (const target of [[], [['node', 'node02']]] as [string, string][][]) {
    await admin.call(memory, { metadata: [['grpc-timeout', '20S'], ...target] });
    const backend = target.length === 0 ? apid.machined : peer.backend;
    const timeout = backend.calls.at(-1)?.values('grpc-timeout').join() ?? '';
    const leftMs = Number(/^(\d+)m$/.exec(timeout)?.[1]);
    assert.ok(leftMs > 15_000 && leftMs <= 20_000, `${timeout} is left`);
  }
});

test('apid forwards traceparent unchanged while tracing is off', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await admin.call(memory, {
    metadata: [
      ['traceparent', traceparent],
      ['tracestate', 'a=b'],
    ],
  });
  const call = apid.machined.calls.at(-1);
  assert.deepEqual([call?.values('traceparent'), call?.values('tracestate')], [[traceparent], ['a=b']]);
});

test('apid accepts 60 kB of metadata', async () => {
  const large = 'x'.repeat(60_000);
  const { code } = await admin.call(memory, { metadata: [['x-large', large]] });
  assert.deepEqual([code, apid.machined.calls.at(-1)?.values('x-large')], [0, [large]]);
});
