// What a client that does not read may have apid hold: the bytes of all nodes count against its budget.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ClientConnection,
  h2ErrorCodes,
  headerValue,
  type InboundCall,
  messagePrefix,
} from '@nodewright/h2';
import { AnswerRecorder, answerHead, requestHead } from '@nodewright/h2/conformance';
import { eventually } from '@nodewright/testkit';
import { gatewayShares, streamWindowBytes } from '../domain/limits.ts';
import { dialDead, openGatewayRig, RigBackend } from './testing/gateway-rig.ts';

const logs = '/machine.MachineService/Logs';
const memory = '/machine.MachineService/Memory';
const kib = 1024;

/** Tag and length of a field with bytes. */
function fieldHead(field: number, bytes: number): Buffer {
  const head = [field * 8 + 2];
  for (let left = bytes; ; left = Math.floor(left / 128)) {
    head.push(left < 128 ? left : (left % 128) + 128);
    if (left < 128) return Buffer.from(head);
  }
}

/** A message with this many bytes in its second field, as `common.Data` has them, or in one entry of `messages`. */
function message(shape: 'data' | 'entry', bytes: number): Buffer {
  const data = fieldHead(2, bytes);
  const heads = shape === 'data' ? data : Buffer.concat([fieldHead(1, data.length + bytes), data]);
  return Buffer.concat([messagePrefix(heads.length + bytes), heads, Buffer.alloc(bytes)]);
}

/** Sends the message this many times, and counts the calls that were cancelled meanwhile. */
class Sender {
  cancelled = 0;
  done = 0;
  readonly #body: Buffer;
  readonly #times: number;

  constructor(body: Buffer, times: number) {
    this.#body = body;
    this.#times = times;
  }

  serve(call: InboundCall): void {
    let sent = 0;
    const more = () => {
      while (sent < this.#times) {
        sent += 1;
        if (!call.write(this.#body)) return;
      }
      this.done += 1;
      call.finish(['grpc-status', '0']);
    };
    call.receive({
      requestData() {},
      requestEnded() {},
      answerDrained: more,
      cancelled: () => {
        this.cancelled += 1;
      },
    });
    call.resume();
    call.respond(answerHead);
    more();
  }
}

/** A client's call to many nodes. */
function callNodes(client: ClientConnection, path: string, nodes: number, metadata: string[] = []) {
  const head = requestHead.map((text, index) => (requestHead[index - 1] === ':path' ? path : text));
  const names = Array.from({ length: nodes }, (_, index) => ['nodes', `node${index}`]).flat();
  const recorder = new AnswerRecorder();
  const call = client.openCall([...head, ...metadata, ...names], recorder);
  assert.ok(call !== undefined);
  return { call, recorder };
}

async function openRig(sender: Sender, scope: AsyncDisposableStack) {
  const node = new RigBackend((call) => sender.serve(call));
  const dial = { dialMachined: () => node.dial(), dialNode: () => node.dial() };
  return { node, rig: await openGatewayRig(dial, scope) };
}

const statusOf = async ({ done }: AnswerRecorder) => {
  const { headers, trailers } = await done;
  return headerValue(trailers ?? headers ?? [], 'grpc-status');
};

test('the bytes that many nodes send to a client that does not read count against its budget', async () => {
  await using scope = new AsyncDisposableStack();
  // Each window of a node takes this much; a quarter more nodes than the budget has room for.
  const count = Math.floor((1.25 * gatewayShares.bytesPerIdentity) / streamWindowBytes);
  const sender = new Sender(message('data', 32 * kib), 24);
  const { node, rig } = await openRig(sender, scope);
  const client = await rig.connect('os:reader');
  const { call, recorder } = callNodes(client, logs, count);
  call.pause();
  call.end();
  await eventually(() => sender.cancelled >= count / 5, { what: 'nodes less', pollMs: 5 });
  assert.equal(node.calls.length, count);

  // The others continue, and the client learns which nodes are missing.
  call.resume();
  assert.equal(await statusOf(recorder), '0');
  const text = Buffer.concat(recorder.answer.body).toString('latin1');
  const reasons = text.match(
    /desc = node "node\d+" sent more than the client reads: open calls hold more than 50331648 bytes/g,
  );
  assert.equal(reasons?.length, sender.cancelled);
  assert.equal(sender.done, count - sender.cancelled);
});

test('a client that reads late is sent all that many nodes send, again and again', async () => {
  await using scope = new AsyncDisposableStack();
  const [count, rounds, times] = [16, 8, 20];
  // Together the rounds hold more than the budget: a round that gave nothing back would fail.
  assert.ok(count * rounds * streamWindowBytes > gatewayShares.bytesPerIdentity);
  const sender = new Sender(message('data', 32 * kib), times);
  const { rig } = await openRig(sender, scope);
  const client = await rig.connect('os:reader');
  for (let round = 0; round < rounds; round += 1) {
    const { call, recorder } = callNodes(client, logs, count);
    call.pause();
    call.end();
    await recorder.headers;
    call.resume();
    assert.equal(await statusOf(recorder), '0');
    const bytes = recorder.answer.body.reduce((sum, { length }) => sum + length, 0);
    assert.ok(bytes > count * times * 32 * kib, `${bytes} bytes`);
  }
  assert.equal(sender.cancelled, 0);
});

test('a client that reads slowly hears of all nodes that send more than it reads', async () => {
  await using scope = new AsyncDisposableStack();
  const count = 4;
  const sender = new Sender(message('data', 32 * kib), 1000);
  const { rig } = await openRig(sender, scope);
  const client = await rig.connect('os:reader');
  const { call, recorder } = callNodes(client, logs, count);
  call.end();
  const heard = () =>
    new Set(
      Buffer.concat(recorder.answer.body)
        .toString('latin1')
        .match(/node\d/g),
    );
  const read = () => recorder.answer.body.reduce((sum, { length }) => sum + length, 0);
  // Enough for ten messages of each node.
  for (const most = count * 10 * 32 * kib; read() < most && heard().size < count; ) {
    call.pause();
    await nextTurn();
    call.resume();
    await nextTurn();
  }
  assert.deepEqual([...heard()].sort(), ['node0', 'node1', 'node2', 'node3']);
  call.reset(h2ErrorCodes.cancel);
  await eventually(() => sender.cancelled === count, { what: 'calls that were cancelled' });
});

test('the answer that unary calls to several nodes have in common counts until the client has read it', async () => {
  await using scope = new AsyncDisposableStack();
  const sender = new Sender(message('entry', 8 * kib * kib), 1);
  const { rig } = await openRig(sender, scope);
  const client = await rig.connect('os:reader');
  // Two times 16 MiB have room beside each other, the third call has not.
  const calls = [1, 2].map(() => callNodes(client, memory, 2));
  for (const { call } of calls) {
    call.pause();
    call.end();
  }
  await Promise.all(calls.map(({ recorder }) => recorder.headers));
  const third = callNodes(client, memory, 3);
  third.call.end();
  assert.equal(await statusOf(third.recorder), '8');

  for (const { call } of calls) call.resume();
  for (const { recorder } of calls) assert.equal(await statusOf(recorder), '0');
  const again = callNodes(client, memory, 3);
  again.call.end();
  assert.equal(await statusOf(again.recorder), '0');
});

test('a request to several nodes that wait for their connection counts as a whole', async () => {
  await using scope = new AsyncDisposableStack();
  const rig = await openGatewayRig(
    { dialMachined: dialDead, dialNode: (_identity, _node, signal) => dialDead(signal) },
    scope,
  );
  const client = await rig.connect('os:reader');
  // The gateway reads a mebibyte of each, and a window waits: with the latter the calls exceed the budget, without it they do not.
  const count = 40;
  assert.ok(count * kib * kib < gatewayShares.bytesPerIdentity);
  assert.ok(count * (kib * kib + streamWindowBytes) > gatewayShares.bytesPerIdentity);
  const body = message('data', 32 * kib);
  const calls = Array.from({ length: count }, () => callNodes(client, logs, 1));
  for (const { call } of calls) for (let sent = 0; sent < 64; sent += 1) call.write(body);
  assert.equal(await Promise.race(calls.map(({ recorder }) => statusOf(recorder))), '8');
});

test('a deadline leaves nothing of an answer that the client has not read', async () => {
  await using scope = new AsyncDisposableStack();
  const { rig } = await openRig(new Sender(message('entry', kib * kib), 1), scope);
  const client = await rig.connect('os:reader');
  // Long enough for the answers of both nodes on a busy machine.
  const { call, recorder } = callNodes(client, memory, 2, ['grpc-timeout', '6S']);
  call.pause();
  call.end();
  await recorder.headers;
  // A status behind the answer would wait with it, in memory that no budget counts.
  const { failure, trailers } = await recorder.done;
  assert.deepEqual([failure?.kind, trailers], ['reset', undefined]);
});

test('an incomplete message of a node that has failed counts no longer', async () => {
  await using scope = new AsyncDisposableStack();
  const part = message('data', 31 * kib * kib).subarray(0, 30 * kib * kib);
  const sender = new Sender(message('entry', 8 * kib * kib), 1);
  let streams = 0;
  const node = new RigBackend((call) => {
    if (call.path === memory) return sender.serve(call);
    streams += 1;
    call.receive({ requestData() {}, requestEnded() {}, answerDrained() {}, cancelled() {} });
    call.resume();
    call.respond(answerHead);
    // The other node goes on.
    if (streams > 1) return;
    call.write(part);
    call.finish(['grpc-status', '14', 'grpc-message', 'it fails']);
  });
  const rig = await openGatewayRig({ dialMachined: () => node.dial(), dialNode: () => node.dial() }, scope);
  const client = await rig.connect('os:reader');
  const following = callNodes(client, logs, 2);
  following.call.end();
  await eventually(() => following.recorder.answer.body.length > 0, {
    what: 'the entry of the node that failed',
  });
  assert.ok(part.length + 3 * 8 * kib * kib > gatewayShares.bytesPerIdentity);
  const { call, recorder } = callNodes(client, memory, 3);
  call.end();
  assert.equal(await statusOf(recorder), '0');
});
