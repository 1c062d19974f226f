// What a connection answers and how it ends depend on what its socket has written: on each kind of socket.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { InboundCall } from '../call.ts';
import { answerHead, openRecordedCall, requestHead } from '../conformance/index.ts';
import { gatewayLimits } from '../engine.ts';
import { floodLimits } from './flood-limits.ts';
import { frameEngine } from './frame-engine.ts';
import { frameTypes } from './frame-types.ts';
import {
  acknowledge,
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

const ping = frame(frameTypes.ping, 0, 0, Buffer.alloc(8));
const status = ['grpc-status', '0'];
const answer = (call: InboundCall) => call.respond([...answerHead, ...status], true);
const request = (stream: number) => headers(stream, requestHead, endHeaders | endStream);
const { idleFramesPerUsefulFrame: pingsPerCall, waitingAnswers } = floodLimits;
const pingsPerRound = 100 * pingsPerCall;
const probesPerRound = 80;
const openWindows = [0, 1].map((stream) => frame(frameTypes.windowUpdate, 0, stream, number(2 ** 30)));

/** Answers with a body that never ends. */
function sendForever(call: InboundCall): void {
  const chunk = Buffer.alloc(64 * 1024);
  const fill = () => {
    while (call.write(chunk));
  };
  call.receive({ requestData() {}, requestEnded() {}, answerDrained: fill, cancelled() {} });
  call.respond(answerHead);
  fill();
}

for (const [kind, open] of socketKinds) {
  const openPeer = (onCall: (call: InboundCall) => void) =>
    RawPeer.open(onCall, {}, preface, frameEngine, open);

  test(`over ${kind}, PINGs whose answers are read never end a connection`, async () => {
    await using peer = await openPeer(answer);
    let stream = 1;
    for (let sent = 0; sent < 3 * waitingAnswers; sent += pingsPerRound) {
      for (let at = 0; at < pingsPerRound; at += pingsPerCall, stream += 2) {
        peer.send(request(stream), ...Array<Buffer>(pingsPerCall).fill(ping));
      }
      await peer.find((one) => one.stream === stream - 2, `the answer after ${sent} PINGs`);
      peer.frames.length = 0;
    }
    assert.deepEqual(peer.errors, []);
  });

  test(`over ${kind}, PINGs of a client that always has more to read never end its connection`, async () => {
    await using peer = await openPeer(sendForever);
    peer.send(request(1), ...openWindows);
    let answered = 0;
    while (answered < 3 * waitingAnswers) {
      peer.send(...Array<Buffer>(probesPerRound).fill(ping));
      for (let read = 0; read < probesPerRound; ) {
        assert.deepEqual(peer.errors, [], `after ${answered} answers`);
        await delay(1);
        read += peer.of(frameTypes.ping).length;
        peer.frames.length = 0;
      }
      answered += probesPerRound;
    }
    assert.deepEqual(peer.errors, []);
  });

  test(`over ${kind}, a client that reads nothing is disconnected once too many answers wait for it`, async () => {
    await using peer = await openPeer((call) => {
      if (call.path !== '/small') sendForever(call);
    });
    peer.socket.pause();
    peer.send(request(1), ...openWindows);
    let stream = 3;
    while (peer.errors.length === 0 && stream < 40 * waitingAnswers) {
      const small = headers(stream, requestHead.with(7, '/small'), endHeaders | endStream);
      peer.send(small, ...Array<Buffer>(pingsPerCall).fill(ping));
      stream += 2;
      if (stream % 100 === 1) await delay(1);
    }
    assert.deepEqual(peer.errors, ['the peer does not read answers']);
  });

  test(`over ${kind}, a drained server closes the connection of a client that stays silent`, async () => {
    const calls: InboundCall[] = [];
    await using peer = await openPeer((call) => calls.push(call));
    peer.send(request(1), request(3));
    while (calls.length < 2) await delay(1);
    peer.server.drain();
    calls[0]?.respond(answerHead);
    calls[0]?.write(Buffer.alloc(60_000));
    calls[0]?.finish(status);
    peer.send(frame(frameTypes.resetStream, 0, 3, Buffer.from([0, 0, 0, 8])));
    // The first one says that it is drained, the second one that it ends.
    await peer.find(() => peer.of(frameTypes.goaway).length === 2, 'the second GOAWAY');
    await peer.closed;
    assert.deepEqual([peer.errors, peer.server.callCount], [[], 0]);
  });

  test(`over ${kind}, a drained client closes its connection after its last call`, async () => {
    const { near, far } = await open();
    const client = frameEngine.connect(near, gatewayLimits);
    far.resume();
    far.write(Buffer.concat([settings(), settingsAnswer]));
    await client.ready;
    const { call, recorder } = openRecordedCall(client);
    call.end();
    client.drain();
    far.write(headers(1, [...answerHead, ...status], endHeaders | endStream));
    assert.equal((await recorder.done).last, true);
    await client.closed;
    far.destroy();
  });

  test(`over ${kind}, PINGs of a backend whose answers are read never end a connection`, async () => {
    const { near, far } = await open();
    const client = frameEngine.connect(near, gatewayLimits);
    let answers = 0;
    const answered = frame(frameTypes.ping, acknowledge, 0, Buffer.alloc(8));
    far.on('data', (chunk: Buffer) => {
      for (let at = chunk.indexOf(answered); at >= 0; at = chunk.indexOf(answered, at + 1)) answers += 1;
    });
    far.write(Buffer.concat([settings(), settingsAnswer]));
    await client.ready;
    let stream = 1;
    while (stream < (2 * 3 * waitingAnswers) / pingsPerCall) {
      const { call, recorder } = openRecordedCall(client);
      call.write(Buffer.alloc(10));
      call.end();
      far.write(Buffer.concat(Array<Buffer>(pingsPerCall).fill(ping)));
      far.write(headers(stream, [...answerHead, ...status], endHeaders | endStream));
      assert.equal((await recorder.done).failure, undefined, `after ${stream} streams`);
      stream += 2;
    }
    assert.equal(client.usable, true);
    assert.ok(answers > waitingAnswers, `${answers} answers`);
    client.destroy();
    far.destroy();
    await client.closed;
  });
}
