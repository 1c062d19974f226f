import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Empty } from '@nodewright/contract/gen/common/common.ts';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { type BackendCall, fail } from './harness/backend.ts';
import { framed, unframed } from './harness/messages.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const apid = scope.use(await ApidUnderTest.start());
const two = await apid.peer('node02');
const three = await apid.peer('node03');
const admin = await apid.client();

const logs = '/machine.MachineService/Logs';
const nodes = (...names: string[]) => ({ metadata: names.map((name) => ['nodes', name] as const) });

/** A `common.Data`: metadata is field 1, bytes field 2. */
const data = (text: string) => Buffer.concat([Buffer.from([0x12, text.length]), Buffer.from(text)]);

/** Host name, error and text of a message of a merged stream. */
function read(message: Buffer) {
  const { metadata } = Empty.decode(message);
  const text = message[0] === 0x12 ? message.subarray(2, 2 + (message[1] ?? 0)).toString() : '';
  return [metadata?.hostname, text, metadata?.error];
}

/** Sends these texts with a short delay, and ends with OK. */
const stream =
  (...texts: string[]) =>
  async (call: BackendCall) => {
    call.stream.resume();
    call.respond();
    for (const text of texts) {
      call.stream.write(framed(data(text)));
      await delay(5);
    }
    call.finish();
  };

test("apid labels every message of every node's stream and keeps each node's order", async () => {
  two.backend.behave = stream('a', 'b', 'c');
  three.backend.behave = stream('1', '2', '3');
  const { body, code } = await admin.call(logs, nodes('node02', 'node03'));
  const messages = unframed(body).map(read);
  assert.equal(code, 0);
  for (const [name, texts] of [
    ['node02', ['a', 'b', 'c']],
    ['node03', ['1', '2', '3']],
  ] as const) {
    assert.deepEqual(
      messages.filter(([hostname]) => hostname === name),
      texts.map((text) => [name, text, '']),
    );
  }
});

test('apid reports a failing node in one message and continues with the others', async () => {
  two.backend.behave = fail(5, 'no such service');
  three.backend.behave = stream('1', '2');
  const { body, code } = await admin.call(logs, nodes('node02', 'node03'));
  assert.deepEqual(
    [code, unframed(body).map(read).sort()],
    [
      0,
      [
        ['node02', '', 'rpc error: code = NotFound desc = no such service'],
        ['node03', '1', ''],
        ['node03', '2', ''],
      ],
    ],
  );
});

test('apid reports a node that dies in the middle of its stream', async () => {
  two.backend.behave = (call) => {
    call.respond();
    call.stream.write(framed(data('a')));
    setTimeout(() => two.backend.cut(), 30);
  };
  three.backend.behave = stream('1');
  const { body, code } = await admin.call(logs, nodes('node02', 'node03'));
  const ofTwo = unframed(body)
    .map(read)
    .filter(([hostname]) => hostname === 'node02');
  assert.equal(code, 0);
  assert.deepEqual(ofTwo[0], ['node02', 'a', '']);
  assert.match(
    String(ofTwo[1]?.[2]),
    /^rpc error: code = Unavailable desc = node "node02" closed the connection in the middle of its answer.*\(via node01\)$/,
  );
});

test('apid labels messages of a megabyte, however they are split', async () => {
  const large = Buffer.alloc(1_000_000, 0x61);
  const message = Buffer.concat([Buffer.from([0x12, 0xc0, 0x84, 0x3d]), large]);
  two.backend.behave = (call) => {
    call.stream.resume();
    call.respond();
    call.stream.write(framed(message));
    call.stream.write(framed(message));
    call.finish();
  };
  const { body } = await admin.call(logs, nodes('node02'));
  const messages = unframed(body);
  assert.deepEqual(
    messages.map((each) => [each.length > message.length, each.subarray(0, message.length).equals(message)]),
    [
      [true, true],
      [true, true],
    ],
  );
});

test("apid broadcasts the client's messages in order", async () => {
  const bodies = [two, three].map(({ backend }) => {
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    backend.behave = async (call) => {
      const body = call.body();
      resolve(body);
      await body;
      call.respond();
      call.finish();
    };
    return promise;
  });
  const call = admin.open('/machine.MachineService/FooStream', { ...nodes('node02', 'node03'), open: true });
  const parts = ['first', 'second', 'third'].map((text) => framed(Buffer.from(text)));
  for (const part of parts) {
    call.stream.write(part);
    await delay(10);
  }
  call.stream.end();
  for (const body of await Promise.all(bodies)) assert.deepEqual(body, Buffer.concat(parts));
  assert.equal((await call.result).code, 0);
});

test('apid stops reading from the nodes when the client does not read', async () => {
  let written = 0;
  two.backend.behave = (call) => {
    call.stream.resume();
    call.respond();
    const message = framed(Buffer.concat([Buffer.from([0x12, 0x80, 0x80, 0x02]), Buffer.alloc(32_768)]));
    const more = () => {
      while (written < 32_000_000) {
        written += message.length;
        if (!call.stream.write(message)) {
          call.stream.once('drain', more);
          return;
        }
      }
      call.finish();
    };
    more();
  };
  const call = admin.open(logs, nodes('node02'));
  call.stream.pause();
  await call.headers;
  await delay(300);
  const held = written;
  assert.ok(held < 16_000_000, `${held} bytes went into an answer that nobody reads`);
  call.stream.resume();
  const { code, body } = await call.result;
  assert.deepEqual([code, body.length >= written], [0, true]);
});
