// Each limit of flood-limits.ts and of H2Limits, attacked by a client or by a backend.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ByteBudget } from '../byte-budget.ts';
import type { InboundCall } from '../call.ts';
import { answerHead, openPair, openRecordedCall, openSocketPair, requestHead } from '../conformance/index.ts';
import { gatewayLimits } from '../engine.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import { floodLimits } from './flood-limits.ts';
import { frameEngine } from './frame-engine.ts';
import { frameTypes, settingIds } from './frame-types.ts';
import {
  data,
  endHeaders,
  endStream,
  frame,
  headers,
  number,
  preface,
  settings,
  settingsAnswer,
} from './testing/frames.ts';
import { RawPeer } from './testing/raw-peer.ts';
import { socketKinds } from './testing/socket-pairs.ts';

const types = frameTypes;
const enough = floodLimits.idleFrames.burst + 1100;
const many = (one: Buffer, count = enough) => Buffer.concat(Array.from({ length: count }, () => one));
const request = (stream: number, flags: number = endHeaders) => headers(stream, requestHead, flags);

/** Accepts calls and reads their bodies. */
function read(call: InboundCall): void {
  call.receive({ requestData() {}, requestEnded() {}, answerDrained() {}, cancelled() {} });
  call.resume();
}

const floods: readonly (readonly [what: string, start: Buffer, each: Buffer])[] = [
  ['PING', Buffer.alloc(0), frame(types.ping, 0, 0, Buffer.alloc(8))],
  ['SETTINGS', Buffer.alloc(0), settings([settingIds.headerTableSize, 4096])],
  ['WINDOW_UPDATE', Buffer.alloc(0), frame(types.windowUpdate, 0, 0, number(1))],
  ['PRIORITY', Buffer.alloc(0), frame(types.priority, 0, 1, Buffer.alloc(5))],
  ['frames of an unknown type', Buffer.alloc(0), frame(77, 0, 0)],
  ['empty DATA', request(1), data(1, Buffer.alloc(0))],
  [
    'RST_STREAM for a closed stream',
    Buffer.concat([request(1), frame(types.resetStream, 0, 1, number(8))]),
    frame(types.resetStream, 0, 1, number(8)),
  ],
  ['GOAWAY', Buffer.alloc(0), frame(types.goaway, 0, 0, Buffer.alloc(8))],
];

for (const [kind, open] of socketKinds) {
  test(`over ${kind}, a flood of frames without a purpose ends the connection with ENHANCE_YOUR_CALM`, async () => {
    for (const [what, start, each] of floods) {
      await using peer = await RawPeer.open(read, {}, preface, frameEngine, open);
      peer.send(start, many(each));
      assert.equal(await peer.goawayCode(), h2ErrorCodes.enhanceYourCalm, what);
      await peer.closed;
      assert.equal(peer.server.callCount, 0);
    }
  });
}

test('answers, windows and probes that follow bodies and calls are no flood', async () => {
  await using peer = await RawPeer.open((call) => call.respond([...answerHead, 'grpc-status', '0'], true));
  const ping = frame(types.ping, 0, 0, Buffer.alloc(8));
  for (let stream = 1; stream < 6000; stream += 2) {
    peer.send(
      request(stream, endHeaders | endStream),
      ping,
      ping,
      frame(types.windowUpdate, 0, 0, number(1)),
      ping,
    );
    if (stream % 100 === 1) await delay(1);
  }
  await peer.find((one) => one.type === types.headers && one.stream === 5999, 'the last answer');
  assert.deepEqual(peer.errors, []);
});

test('a header block that never ends, of empty or of full CONTINUATION frames, ends the connection', async () => {
  for (const part of [Buffer.alloc(0), Buffer.alloc(16_384)]) {
    await using peer = await RawPeer.open(read, { maxHeaderListBytes: 65_536 });
    peer.send(headers(1, requestHead, 0), many(frame(types.continuation, 0, 1, part), 100));
    assert.equal(await peer.goawayCode(), h2ErrorCodes.enhanceYourCalm);
    assert.equal(peer.server.callCount, 0);
  }
});

test('a header list over the limit resets its stream, and costs no memory', async () => {
  await using peer = await RawPeer.open(read, { maxHeaderListBytes: 10_000 });
  // One entry of 2,000 bytes in the table, then one byte for each repetition of it.
  const entry = Buffer.concat([Buffer.from([0x40, 0x01, 0x78, 0x7f, 0xd1, 0x0e]), Buffer.alloc(2000, 0x61)]);
  const bomb = Buffer.concat([entry, Buffer.alloc(9000, 0xbe)]);
  peer.send(frame(types.headers, endHeaders | endStream, 1, bomb));
  assert.equal(await peer.resetCode(1), h2ErrorCodes.enhanceYourCalm);
  peer.send(request(3));
  while (peer.server.callCount === 0) await delay(1);
});

test('a header list with more fields than the limit resets its stream', async () => {
  await using peer = await RawPeer.open(read, { maxHeaderListBytes: 1_000_000 });
  // A field in the table, then a byte for each repetition of it.
  const field = Buffer.from([0x40, 0x01, 0x78, 0x01, 0x61]);
  const block = Buffer.concat([field, Buffer.alloc(floodLimits.fields, 0xbe)]);
  peer.send(frame(types.headers, endHeaders | endStream, 1, block));
  assert.equal(await peer.resetCode(1), h2ErrorCodes.enhanceYourCalm);
});

test('calls above the limit are refused, and end the connection of a client that knows the limit', async () => {
  await using early = await RawPeer.open(
    read,
    { maxConcurrentCalls: 2 },
    Buffer.concat([
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      settings(),
      request(1),
      request(3),
      request(5),
    ]),
  );
  assert.equal(await early.resetCode(5), h2ErrorCodes.refusedStream);
  assert.equal(early.server.callCount, 2);
  early.send(settingsAnswer, request(7));
  assert.equal(await early.goawayCode(), h2ErrorCodes.protocolError);
});

test('calls that a client opens before it can know of a lower limit are served', async () => {
  await using peer = await RawPeer.open(read, { maxConcurrentCalls: 4 });
  peer.send(request(1), request(3));
  await peer.find(({ type }) => type === types.settings, 'SETTINGS');
  peer.server.allowCalls(2, () => {});
  peer.send(request(5), request(7));
  while (peer.server.callCount < 4) await delay(2);
  assert.deepEqual(peer.of(types.resetStream), []);
  peer.send(settingsAnswer, request(9));
  assert.equal(await peer.goawayCode(), h2ErrorCodes.protocolError);
});

test('calls that the client cancels, or makes the server reset, count against its limit on cancels', async () => {
  const cancels = { burst: 20, perSecond: 0 };
  const rows: readonly (readonly [what: string, end: (stream: number) => Buffer])[] = [
    ['RST_STREAM', (stream) => frame(types.resetStream, 0, stream, number(8))],
    ['WINDOW_UPDATE of 0', (stream) => frame(types.windowUpdate, 0, stream, number(0))],
    ['a window that is too large', (stream) => frame(types.windowUpdate, 0, stream, number(2 ** 31 - 1))],
    ['HEADERS twice', (stream) => request(stream)],
  ];
  for (const [what, end] of rows) {
    await using peer = await RawPeer.open(read, { cancels });
    for (let stream = 1; stream < 100; stream += 2) peer.send(request(stream), end(stream));
    assert.equal(await peer.goawayCode(), h2ErrorCodes.enhanceYourCalm, what);
    assert.deepEqual(peer.errors, ['too many cancelled calls'], what);
  }
});

test('answers to a client that does not read stay below the limits of the queues', async () => {
  const chunk = Buffer.alloc(16_384);
  const calls = new Map<InboundCall, number>();
  const fill = (call: InboundCall) => {
    for (let isFull = false; !isFull && (calls.get(call) ?? 0) < 100_000_000; ) {
      calls.set(call, (calls.get(call) ?? 0) + chunk.length);
      isFull = !call.write(chunk);
    }
  };
  await using peer = await RawPeer.open((call) => {
    calls.set(call, 0);
    call.receive({ requestData() {}, requestEnded() {}, answerDrained: () => fill(call), cancelled() {} });
    call.respond(answerHead);
    fill(call);
  });
  peer.socket.pause();
  // Both windows are open as far as possible: only the socket is in the way.
  peer.send(
    settings([settingIds.initialWindowSize, 2 ** 31 - 1]),
    frame(types.windowUpdate, 0, 0, number(2 ** 31 - 1 - 65_535)),
  );
  const count = 20;
  peer.send(...Array.from({ length: count }, (_, index) => request(2 * index + 1)));
  while (calls.size < count) await delay(1);
  await delay(200);
  const written = [...calls.values()].reduce((sum, bytes) => sum + bytes, 0);
  // The kernel buffers some megabytes of a loopback connection.
  const kernelBytes = 10 * 1024 * 1024;
  assert.equal(calls.size, count);
  assert.ok(
    written < kernelBytes + 2 * 262_144 + count * (65_536 + chunk.length),
    `${written} bytes were accepted`,
  );
});

test('windows that never open hold at most the queue of each call', async () => {
  let accepted = 0;
  await using peer = await RawPeer.open((call) => {
    call.respond(answerHead);
    for (let isOpen = true; isOpen; accepted += 1000) isOpen = call.write(Buffer.alloc(1000));
    call.finish(['grpc-status', '0']);
  });
  peer.send(settings([settingIds.initialWindowSize, 0]), request(1, endHeaders | endStream));
  await peer.find((one) => one.type === types.headers, 'headers');
  await delay(20);
  assert.ok(accepted <= 65_536 + 1000, `${accepted} bytes`);
  assert.deepEqual([peer.of(types.data).length, peer.server.callCount], [0, 1]);
  // The window turns negative when the setting shrinks, and the call ends when it opens again.
  peer.send(frame(types.windowUpdate, 0, 1, number(100)));
  await peer.find((one) => one.type === types.data, 'DATA');
  peer.send(settings([settingIds.initialWindowSize, 50]), settings([settingIds.initialWindowSize, 0]));
  peer.send(
    settings([settingIds.initialWindowSize, 1_000_000]),
    frame(types.windowUpdate, 0, 0, number(1_000_000)),
  );
  await peer.find((one) => one.type === types.headers && one.flags === (endHeaders | endStream), 'trailers');
  const bodyBytes = peer.of(types.data, 1).reduce((sum, { payload }) => sum + payload.length, 0);
  assert.deepEqual([bodyBytes, peer.server.callCount], [accepted, 0]);
});

test('a body beyond the window of its stream, or of the connection, is an error', async () => {
  const body = data(1, Buffer.alloc(16_384));
  await using stream = await RawPeer.open(() => {}, {
    streamWindowBytes: 65_535,
    connectionWindowBytes: 1_000_000,
  });
  stream.send(request(1), body, body, body, body);
  assert.equal(await stream.resetCode(1), h2ErrorCodes.flowControlError);

  const budget = new ByteBudget(2 * 67_108_864);
  await using all = await RawPeer.open((call) => call.limitUnread(budget, () => {}), {
    streamWindowBytes: 2 ** 31 - 1,
    connectionWindowBytes: 65_535,
  });
  all.send(request(1));
  // Nobody reads: the connection takes a bounded number of bytes, then its window stays closed.
  const frames = Math.ceil((67_108_864 + 2 * 65_535) / 16_384) + 8;
  for (let sent = 0; sent < frames && all.errors.length === 0; sent += 1) {
    if (!all.socket.write(body)) await delay(1);
  }
  assert.equal(await all.goawayCode(), h2ErrorCodes.flowControlError);
  assert.ok(budget.heldBytes <= 67_108_864 + 2 * 65_535, `${budget.heldBytes} bytes`);
});

test('bytes that nobody reads count against their budget, and are given back', async () => {
  const budget = new ByteBudget(10_000);
  let isFull = false;
  await using peer = await RawPeer.open((call) => {
    call.limitUnread(budget, () => {
      isFull = true;
    });
    read(call);
    call.pause();
  });
  peer.send(request(1), data(1, Buffer.alloc(6000)));
  while (budget.heldBytes < 6000) await delay(1);
  peer.send(data(1, Buffer.alloc(6000)));
  while (!isFull) await delay(1);
  assert.equal(budget.heldBytes, 6000);
  peer.send(frame(types.resetStream, 0, 1, number(8)));
  while (budget.heldBytes > 0) await delay(1);
});

test('a client that goes on sending after its connection has ended is cut off', async () => {
  await using peer = await RawPeer.open(read);
  peer.send(frame(types.ping, 0, 1, Buffer.alloc(8)));
  await peer.goawayCode();
  const junk = Buffer.alloc(65_536);
  // Without the cut this would never end.
  while (!peer.socket.destroyed) {
    peer.socket.write(junk);
    await delay(1);
  }
  await peer.server.closed;
});

test('calls that wait for a limit on open calls are bounded', async () => {
  const { near, far } = await openSocketPair();
  const client = frameEngine.connect(near, gatewayLimits);
  far.resume();
  far.write(Buffer.concat([settings([settingIds.maxConcurrentStreams, 0]), settingsAnswer]));
  await client.ready;
  const calls = Array.from({ length: 4096 + 1 }, () => openRecordedCall(client));
  assert.deepEqual((await calls.at(-1)?.recorder.done)?.failure, { kind: 'refused' });
  calls[0]?.call.reset(h2ErrorCodes.cancel);
  assert.equal(client.callCount, 4096 - 1);
  far.destroy();
  await client.closed;
  assert.deepEqual((await calls[1]?.recorder.done)?.failure, { kind: 'refused' });
});

test('a backend that floods fails only its own calls', async () => {
  const { near, far } = await openSocketPair();
  const client = frameEngine.connect(near, gatewayLimits);
  far.on('error', () => {});
  far.resume();
  far.write(Buffer.concat([settings(), settingsAnswer]));
  await client.ready;
  const { recorder } = openRecordedCall(client);
  far.write(many(frame(types.ping, 0, 0, Buffer.alloc(8))));
  assert.equal((await recorder.done).failure?.kind, 'protocol');
  await client.closed;
  far.destroy();
});

test('a slow reader of one call delays no other call of its connection', async () => {
  await using pair = await openPair({ server: frameEngine, client: frameEngine }, (call) => {
    call.respond(answerHead);
    call.write(Buffer.alloc(call.headers.includes('x-slow') ? 4_000_000 : 1000));
    call.finish(['grpc-status', '0']);
  });
  const slow = openRecordedCall(pair.client, ['x-slow', '1']);
  slow.recorder.onHeaders = () => slow.call.pause();
  slow.call.end();
  await slow.recorder.headers;
  for (let round = 0; round < 100; round += 1) {
    const { call, recorder } = openRecordedCall(pair.client);
    call.end();
    assert.deepEqual((await recorder.done).trailers, ['grpc-status', '0']);
  }
  assert.equal(slow.recorder.answer.trailers, undefined);
  slow.call.resume();
  assert.deepEqual((await slow.recorder.done).trailers, ['grpc-status', '0']);
});

test('a peer that does not acknowledge the first SETTINGS loses its connection, one that acknowledges late does not', async () => {
  const limits = { settingsTimeoutMs: 100 };
  await using never = await RawPeer.open(read, limits, preface.subarray(0, -settingsAnswer.length));
  never.send(request(1));
  assert.equal(await never.goawayCode(), h2ErrorCodes.settingsTimeout);
  await never.closed;
  // On a busy machine not even the preface is read in time, and the error says so, too.
  assert.match(never.errors.join(), /it did not acknowledge SETTINGS within 100 ms$/);

  // Long enough for a busy machine, on which the answer is read late.
  const longer = { settingsTimeoutMs: 1500 };
  await using late = await RawPeer.open(read, longer, preface.subarray(0, -settingsAnswer.length));
  await delay(5);
  late.send(settingsAnswer);
  await delay(1600);
  assert.deepEqual([late.errors, late.of(types.goaway)], [[], []]);
});

test('a backend that does not acknowledge the first SETTINGS fails its calls', async () => {
  const { near, far } = await openSocketPair();
  // The call must be open before the time is over, also on a busy machine.
  const client = frameEngine.connect(near, { ...gatewayLimits, settingsTimeoutMs: 500 });
  far.resume();
  far.write(settings());
  await client.ready;
  const { recorder } = openRecordedCall(client);
  await client.closed;
  const { failure } = await recorder.done;
  assert.deepEqual(failure, { kind: 'protocol', reason: 'it did not acknowledge SETTINGS within 500 ms' });
  far.destroy();
});

test('a stream whose backend has answered and does not read the rest of the request is reset in time', async () => {
  const { near, far } = await openSocketPair();
  const client = frameEngine.connect(near, { ...gatewayLimits, requestRestMs: 30 });
  const received: Buffer[] = [];
  far.on('data', (chunk: Buffer) => received.push(chunk));
  far.write(Buffer.concat([settings(), settingsAnswer]));
  await client.ready;
  const { call, recorder } = openRecordedCall(client);
  call.write(Buffer.alloc(100_000));
  call.end();
  await delay(5);
  far.write(headers(1, [...answerHead, 'grpc-status', '0'], endHeaders | endStream));
  await recorder.done;
  const reset = frame(types.resetStream, 0, 1, number(h2ErrorCodes.noError));
  while (!Buffer.concat(received).includes(reset)) await delay(5);
  // The connection has no stream left, so it closes.
  client.drain();
  await client.closed;
  far.destroy();
});

test('a complete request is sent to its end although the response is complete', async () => {
  const { near, far } = await openSocketPair();
  const client = frameEngine.connect(near, gatewayLimits);
  const received: Buffer[] = [];
  far.on('data', (chunk: Buffer) => received.push(chunk));
  far.write(Buffer.concat([settings(), settingsAnswer]));
  await client.ready;
  const { call, recorder } = openRecordedCall(client);
  call.write(Buffer.alloc(100_000, 0x7a));
  call.end();
  await delay(5);
  far.write(headers(1, [...answerHead, 'grpc-status', '0'], endHeaders | endStream));
  assert.equal((await recorder.done).last, true);
  client.drain();
  far.write(Buffer.concat([0, 1].map((stream) => frame(types.windowUpdate, 0, stream, number(100_000)))));
  await client.closed;
  const body = Buffer.concat(received).filter((byte) => byte === 0x7a).length;
  assert.ok(body >= 100_000, `${body} bytes`);
  far.destroy();
});
