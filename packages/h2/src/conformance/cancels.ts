import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { InboundCall, OutboundCall } from '../call.ts';
import { gatewayLimits } from '../engine.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import { type EnginePair, noCalls, openPair, openSocketPair } from './engine-pair.ts';
import { answerHead, openRecordedCall, RequestRecorder } from './recorder.ts';

const clientPreface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
const settingsAck = Buffer.from([0, 0, 0, 4, 1, 0, 0, 0, 0]);

/** A GOAWAY frame with this last stream and error code. */
function goaway(lastStream: number, code: number): Buffer {
  const frame = Buffer.alloc(17);
  frame.writeUInt8(8, 2);
  frame.writeUInt8(7, 3);
  frame.writeUInt32BE(lastStream, 9);
  frame.writeUInt32BE(code, 13);
  return frame;
}

/** Cancelled calls, and the GOAWAY after too many of them, end no other call. */
export function testCancels(label: string, engines: EnginePair): void {
  test(`${label}: 5,000 cancels on one connection do not affect its other calls`, async () => {
    const watched = Promise.withResolvers<InboundCall>();
    await using pair = await openPair(engines, (call) => {
      if (call.headers.includes('x-watch')) watched.resolve(call);
      else new RequestRecorder(call);
    });
    const watch = openRecordedCall(pair.client, ['x-watch', '1']);
    const inbound = await watched.promise;
    for (let round = 0; round < 5; round += 1) {
      const calls = Array.from({ length: 1000 }, () => openRecordedCall(pair.client).call);
      while (pair.server.callCount < 1001) await delay(1);
      for (const call of calls) call.reset(h2ErrorCodes.cancel);
      while (pair.server.callCount > 1) await delay(1);
    }
    inbound.respond([...answerHead, 'grpc-status', '0'], true);
    assert.deepEqual([(await watch.recorder.done).last, pair.client.usable, pair.errors], [true, true, []]);
  });

  test(`${label}: a client that cancels more than its limit loses its connection`, async () => {
    const cancels = { burst: 10, perSecond: 0 };
    await using pair = await openPair(engines, (call) => new RequestRecorder(call), { cancels });
    for (let count = 0; count <= 10; count += 1) {
      const { call } = openRecordedCall(pair.client);
      while (pair.server.callCount === 0) await delay(1);
      call.reset(h2ErrorCodes.cancel);
      if (count < 10) await noCalls(pair.server);
    }
    await pair.server.closed;
    const { near, far } = await openSocketPair();
    const server = engines.server.accept(far, gatewayLimits, { onCall() {}, onError() {} });
    near.write(Buffer.concat([Buffer.from(clientPreface), emptySettings]));
    const received: Buffer[] = [];
    near.on('data', (chunk: Buffer) => received.push(chunk));
    while (received.length === 0) await delay(1);
    server.end(h2ErrorCodes.enhanceYourCalm, 'enough');
    await server.closed;
    while (!near.readableEnded) await delay(1);
    near.destroy();
    assert.deepEqual(
      [pair.errors, Buffer.concat(received).subarray(-4).readUInt32BE()],
      [['too many cancelled calls'], h2ErrorCodes.enhanceYourCalm],
    );
  });

  test(`${label}: a client that repeatedly replaces its calls keeps its connection`, async () => {
    const maxConcurrentCalls = 256;
    const onCall = (call: InboundCall) => {
      new RequestRecorder(call);
      call.respond(answerHead);
    };
    await using pair = await openPair(engines, onCall, { maxConcurrentCalls });
    let calls: OutboundCall[] = [];
    for (let round = 0; round < 6; round += 1) {
      for (const call of calls) call.reset(h2ErrorCodes.cancel);
      const opened = Array.from({ length: 200 }, () => {
        const recorded = openRecordedCall(pair.client);
        recorded.call.end();
        return recorded;
      });
      calls = opened.map(({ call }) => call);
      await Promise.all(opened.map(({ recorder }) => Promise.race([recorder.headers, recorder.done])));
    }
    for (const call of calls) call.reset(h2ErrorCodes.cancel);
    await noCalls(pair.client, pair.server);
    assert.deepEqual([pair.client.usable, pair.errors], [true, []]);
  });

  test(`${label}: a GOAWAY with an error code keeps the calls up to its last stream`, async () => {
    const { near, far } = await openSocketPair();
    const client = engines.client.connect(near, gatewayLimits);
    far.resume();
    far.write(Buffer.concat([emptySettings, settingsAck]));
    await client.ready;
    const [first, second] = [openRecordedCall(client), openRecordedCall(client)];
    await delay(5);
    far.write(goaway(1, h2ErrorCodes.internalError));
    assert.deepEqual((await second.recorder.done).failure, { kind: 'refused' });
    assert.equal(client.usable, false);
    // HEADERS with `:status: 200` of the static table, then DATA that ends the stream.
    far.write(Buffer.from([0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88]));
    far.write(Buffer.concat([Buffer.from([0, 0, 2, 0, 1, 0, 0, 0, 1]), Buffer.from('ok')]));
    const { body, failure } = await first.recorder.done;
    assert.deepEqual([Buffer.concat(body).toString(), failure], ['ok', undefined]);
    await client.closed;
    far.destroy();
  });

  test(`${label}: a connection that closes after such a GOAWAY reports its error code`, async () => {
    const { near, far } = await openSocketPair();
    const client = engines.client.connect(near, gatewayLimits);
    far.resume();
    far.write(Buffer.concat([emptySettings, settingsAck]));
    await client.ready;
    const { recorder } = openRecordedCall(client);
    await delay(5);
    far.write(goaway(1, h2ErrorCodes.enhanceYourCalm));
    far.end();
    assert.deepEqual((await recorder.done).failure, {
      kind: 'connection-closed',
      reason: 'GOAWAY ENHANCE_YOUR_CALM',
    });
    await client.closed;
    far.destroy();
  });
}
