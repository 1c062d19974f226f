import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, test } from 'node:test';
import { ports } from '@nodewright/contract';
import { EmptyResponse } from '@nodewright/contract/gen/common/common.ts';
import { Status } from '@nodewright/contract/gen/google/rpc/status.ts';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { fail, reply } from './harness/backend.ts';
import { type CallResult, fieldsOf } from './harness/client.ts';
import { freeLoopbackAddress } from './harness/loopback.ts';
import { framed, unframed } from './harness/messages.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const apid = scope.use(await ApidUnderTest.start());
const two = await apid.peer('node02');
const three = await apid.peer('node03');
const admin = await apid.client();

const memory = '/machine.MachineService/Memory';
/** One entry whose field 2 is a text. */
const entry = (text: string) => {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x0a, payload.length + 2, 0x12, payload.length]), payload]);
};
const nodes = (...names: string[]) => ({ metadata: names.map((name) => ['nodes', name] as const) });

/** The entries of a joint answer: host name, error, code. Throws unless there is exactly one message. */
function entriesOf({ body, code }: CallResult) {
  const messages = unframed(body);
  assert.deepEqual([messages.length, code], [1, 0]);
  return EmptyResponse.decode(messages[0] ?? Buffer.alloc(0)).messages.map(({ metadata }) => metadata);
}

test('apid labels an answer as in the worked example of the reference', async () => {
  const address = two.address;
  two.backend.behave = reply(Buffer.from('0a081206666f6f626172', 'hex'));
  const { body } = await admin.call(memory, nodes(address));
  const suffix = Buffer.concat([
    Buffer.from([0x0a, address.length + 2, 0x0a, address.length]),
    Buffer.from(address),
  ]);
  const expected = Buffer.concat([
    Buffer.from([0x0a, 8 + suffix.length]),
    Buffer.from('1206666f6f626172', 'hex'),
    suffix,
  ]);
  assert.deepEqual(unframed(body), [expected]);
});

test('apid sends the whole request to every node and accepts only uncompressed answers', async () => {
  two.backend.behave = reply(entry('two'));
  three.backend.behave = reply(entry('three'));
  const bodies = [two, three].map(({ backend }) => {
    const { behave } = backend;
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    backend.behave = (call) => {
      assert.deepEqual(call.values('grpc-accept-encoding'), []);
      resolve(call.body());
      behave(call);
    };
    return promise;
  });
  const request = framed(Buffer.alloc(300_000, 5));
  const result = await admin.call(memory, {
    metadata: [...nodes('node02', 'node03').metadata, ['grpc-accept-encoding', 'gzip']],
    body: request,
  });
  assert.deepEqual(
    entriesOf(result)
      .map((metadata) => metadata?.hostname)
      .sort(),
    ['node02', 'node03'],
  );
  for (const body of await Promise.all(bodies)) assert.deepEqual(body, request);
  assert.deepEqual(
    [two, three].map(({ backend }) => backend.calls.at(-1)?.values('nodes')),
    [[], []],
  );
});

test('apid orders entries by the arrival of the answers', async () => {
  two.backend.behave = (call) => setTimeout(() => reply(entry('late'))(call), 500);
  three.backend.behave = reply(entry('early'));
  const result = await admin.call(memory, nodes('node02', 'node03'));
  assert.deepEqual(
    entriesOf(result).map((metadata) => metadata?.hostname),
    ['node03', 'node02'],
  );
});

test('apid turns each failure into an entry with its details, and the call ends with OK', async () => {
  const details = Status.encode(
    Status.fromPartial({ code: 7, message: 'not authorized', details: [{ typeUrl: 'type.test/x' }] }),
  ).finish();
  two.backend.behave = fail(7, 'not authorized', {
    'grpc-status-details-bin': Buffer.from(details).toString('base64').replace(/=+$/, ''),
  });
  three.backend.behave = reply(entry('three'));
  const gone = `${'x'.repeat(64)}.test`;
  const result = await admin.call(memory, nodes('node02', 'node03', gone));
  const entries = new Map(entriesOf(result).map((metadata) => [metadata?.hostname, metadata]));
  const refused = entries.get('node02');
  assert.deepEqual(
    [refused?.error, refused?.status?.code, refused?.status?.details.map(({ typeUrl }) => typeUrl)],
    ['rpc error: code = PermissionDenied desc = not authorized', 7, ['type.test/x']],
  );
  assert.deepEqual([entries.get('node03')?.error, entries.get('node03')?.status], ['', undefined]);
  assert.match(
    entries.get(gone)?.error ?? '',
    /^rpc error: code = Unavailable desc = no route to node "x+\.test": /,
  );
  assert.equal(entries.get(gone)?.status?.code, 14);
});

test('apid ends a call with OK even when every node failed', async () => {
  two.backend.behave = fail(5, 'no such thing');
  three.backend.behave = fail(5, 'no such thing');
  const result = await admin.call(memory, nodes('node02', 'node03'));
  assert.deepEqual(
    entriesOf(result).map((metadata) => metadata?.status?.code),
    [5, 5],
  );
});

test('apid turns an answer that it cannot label into a failed entry', async () => {
  const rows: [Buffer, string][] = [
    [Buffer.alloc(0), 'no entry in messages'],
    [Buffer.from([0x12, 0x00]), '18'],
    [Buffer.concat([entry('a'), entry('b')]), 'more than one entry in messages'],
  ];
  for (const [body, what] of rows) {
    two.backend.behave = reply(body);
    const [metadata] = entriesOf(await admin.call(memory, nodes('node02')));
    assert.deepEqual(
      [metadata?.error, metadata?.status?.code],
      [`rpc error: code = Unknown desc = unexpected message format: ${what}`, 2],
    );
  }
});

test('apid turns an answer that is too large, compressed, truncated or missing into a failed entry', async () => {
  const answer = (bytes: Buffer) => (call: Parameters<ReturnType<typeof reply>>[0]) => {
    call.stream.resume();
    call.respond();
    call.stream.write(bytes);
    call.finish();
  };
  const compressed = framed(entry('x'));
  compressed[0] = 1;
  const rows: [Buffer, string][] = [
    [
      framed(Buffer.alloc(1), 33_554_433),
      'code = ResourceExhausted desc = grpc: received message larger than max (33554433 vs. 33554432) from node "node02" (via node01)',
    ],
    [
      compressed,
      'code = Internal desc = node "node02" sent a compressed message, but apid had requested an uncompressed one (via node01)',
    ],
    [
      framed(entry('x')).subarray(0, 7),
      'code = Internal desc = node "node02" ended its answer inside a message: 2 of 5 bytes (via node01)',
    ],
    [Buffer.alloc(0), 'code = Internal desc = the call succeeded without a response message'],
  ];
  for (const [bytes, what] of rows) {
    two.backend.behave = answer(bytes);
    const [metadata] = entriesOf(await admin.call(memory, nodes('node02')));
    assert.equal(metadata?.error, `rpc error: ${what}`);
  }
});

test('apid merges the metadata of all answers', async () => {
  for (const [{ backend }, value] of [
    [two, '2'],
    [three, '3'],
  ] as const) {
    backend.behave = (call) => {
      call.stream.resume();
      call.respond({ 'x-head': value });
      call.stream.write(framed(entry(value)));
      call.finish({ 'grpc-status': '0', 'x-trail': value });
    };
  }
  const { headers, trailers } = await admin.call(memory, nodes('node02', 'node03'));
  assert.deepEqual(
    [
      fieldsOf(headers, 'x-head').sort(),
      fieldsOf(trailers, 'x-trail').sort(),
      fieldsOf(trailers, 'grpc-status'),
    ],
    [['2', '3'], ['2', '3'], ['0']],
  );
});

test('apid connects to all nodes in parallel: a node that does not answer delays no other', async () => {
  const address = await freeLoopbackAddress();
  const silent = createServer(() => {}).listen(ports.apid, address);
  await once(silent, 'listening');
  scope.defer(() => void silent.close());
  // No other call has connected apid with this node.
  const four = await apid.peer('node04');
  const reached = Promise.withResolvers<void>();
  four.backend.behave = (call) => {
    reached.resolve();
    reply(entry('four'))(call);
  };
  const call = admin.open(memory, nodes(address, 'node04'));
  await reached.promise;
  call.stream.close(8);
  await call.result;
});

test('apid answers with one status when the deadline passes, and names the missing nodes', async () => {
  two.backend.behave = () => {};
  three.backend.behave = reply(entry('three'));
  const { code, message } = await admin.call(memory, {
    metadata: [...nodes('node02', 'node03').metadata, ['grpc-timeout', '3S']],
  });
  // In this time the other node has answered, however busy the machine is.
  assert.deepEqual(
    [code, message],
    [4, 'deadline exceeded after 3s while waiting for node "node02" (via node01)'],
  );
});

test('apid cancels the calls to all nodes when the client cancels', async () => {
  const closed = [two, three].map(({ backend }) => {
    const { promise, resolve } = Promise.withResolvers<number>();
    backend.behave = ({ stream }) => stream.on('close', () => resolve(stream.rstCode));
    return promise;
  });
  const before = [two, three].map(({ backend }) => backend.calls.length);
  const call = admin.open(memory, nodes('node02', 'node03'));
  while ([two, three].some(({ backend }, index) => backend.calls.length === before[index])) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  call.stream.close(8);
  assert.deepEqual(await Promise.all(closed), [8, 8]);
});

test('apid refuses a request that is too large or truncated, as a whole', async () => {
  const results = await Promise.all([
    admin.call(memory, { ...nodes('node02', 'node03'), body: framed(Buffer.alloc(3), 33_554_433) }),
    admin.call(memory, { ...nodes('node02', 'node03'), body: framed(Buffer.alloc(3), 9) }),
  ]);
  assert.deepEqual(
    results.map(({ code, message }) => [code, message]),
    [
      [
        13,
        'failed proxying s2c: rpc error: code = ResourceExhausted desc = grpc: received message larger than max (33554433 vs. 33554432)',
      ],
      [
        13,
        'failed proxying s2c: rpc error: code = Internal desc = the request ended inside a message: 3 of 9 bytes',
      ],
    ],
  );
});
