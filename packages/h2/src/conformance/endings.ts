import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { InboundCall } from '../call.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import { type EnginePair, noCalls, openPair } from './engine-pair.ts';
import { answerHead, openRecordedCall, RequestRecorder } from './recorder.ts';

/** Both sides are informed once of the end of a call, with the right reason. */
export function testEndings(label: string, engines: EnginePair): void {
  test(`${label}: a cancel reaches the server with its code, and the client gets no further events`, async () => {
    const accepted = Promise.withResolvers<{ call: InboundCall; request: RequestRecorder }>();
    await using pair = await openPair(engines, (call) => {
      accepted.resolve({ call, request: new RequestRecorder(call) });
      call.respond(answerHead);
    });
    const { call, recorder } = openRecordedCall(pair.client);
    const { request } = await accepted.promise;
    await recorder.headers;
    call.reset(h2ErrorCodes.cancel);
    assert.equal(await request.cancel, h2ErrorCodes.cancel);
    await noCalls(pair.server);
    await delay(20);
    assert.deepEqual([recorder.answer.failure, recorder.late], [undefined, []]);
  });

  test(`${label}: an RST_STREAM of the server is reported with its code, before and after headers`, async () => {
    await using pair = await openPair(engines, (call) => {
      if (call.headers.includes('x-answered')) {
        call.respond(answerHead);
        setTimeout(() => call.reset(Number(call.headers.at(-1))), 5);
      } else call.reset(Number(call.headers.at(-1)));
    });
    const seen: unknown[] = [];
    const expected: unknown[] = [];
    for (let code = 1; code <= 13; code += 1) {
      for (const extra of [[], ['x-answered', '1']]) {
        const { recorder } = openRecordedCall(pair.client, [...extra, 'x-code', String(code)]);
        seen.push((await recorder.done).failure);
        expected.push(code === h2ErrorCodes.refusedStream ? { kind: 'refused' } : { kind: 'reset', code });
      }
    }
    assert.deepEqual(seen, expected);
  });

  test(`${label}: a response that completes before the request is kept`, async () => {
    await using pair = await openPair(engines, (call) => {
      call.respond(answerHead);
      call.write(Buffer.from('enough'));
      call.finish(['grpc-status', '8']);
    });
    for (let round = 0; round < 20; round += 1) {
      const { call, recorder } = openRecordedCall(pair.client);
      call.write(Buffer.alloc(100_000));
      const { body, trailers, failure } = await recorder.done;
      assert.deepEqual(
        [Buffer.concat(body).toString(), trailers, failure],
        ['enough', ['grpc-status', '8'], undefined],
      );
      call.write(Buffer.alloc(1));
      call.end();
    }
    await noCalls(pair.client, pair.server);
  });

  test(`${label}: an early response of headers only is kept too`, async () => {
    await using pair = await openPair(engines, (call) =>
      call.respond([...answerHead, 'grpc-status', '7'], true),
    );
    const { call, recorder } = openRecordedCall(pair.client);
    call.write(Buffer.alloc(500_000));
    const { last, failure } = await recorder.done;
    assert.deepEqual([last, failure], [true, undefined]);
    await noCalls(pair.client, pair.server);
  });

  test(`${label}: a broken connection fails its calls, before and after headers, with a reason`, async () => {
    await using pair = await openPair(engines, (call) => {
      if (call.headers.includes('x-answered')) call.respond(answerHead);
    });
    const silent = openRecordedCall(pair.client);
    const answered = openRecordedCall(pair.client, ['x-answered', '1']);
    await answered.recorder.headers;
    breakOff(pair.serverSocket, engines);
    const failures = await Promise.all([silent.recorder.done, answered.recorder.done]);
    assert.deepEqual(
      failures.map(({ failure }) => failure?.kind),
      ['connection-closed', 'connection-closed'],
    );
    assert.equal(pair.client.usable, false);
    assert.equal(pair.client.openCall([], silent.recorder), undefined);
  });

  test(`${label}: a client that disconnects cancels its calls`, async () => {
    const accepted = Promise.withResolvers<RequestRecorder>();
    await using pair = await openPair(engines, (call) => accepted.resolve(new RequestRecorder(call)));
    openRecordedCall(pair.client);
    const request = await accepted.promise;
    breakOff(pair.clientSocket, engines);
    assert.equal(await request.cancel, h2ErrorCodes.cancel);
    await pair.server.closed;
    assert.equal(pair.server.callCount, 0);
  });

  test(`${label}: methods of a call that is over do nothing`, async () => {
    const accepted = Promise.withResolvers<InboundCall>();
    await using pair = await openPair(engines, (call) => accepted.resolve(call));
    const { call, recorder } = openRecordedCall(pair.client);
    const inbound = await accepted.promise;
    const request = new RequestRecorder(inbound);
    call.reset(h2ErrorCodes.cancel);
    await request.cancel;
    inbound.respond(answerHead);
    inbound.write(Buffer.alloc(10));
    inbound.finish(['grpc-status', '0']);
    inbound.pause();
    inbound.resume();
    inbound.reset(h2ErrorCodes.cancel);
    call.write(Buffer.alloc(10));
    call.end();
    call.pause();
    call.resume();
    call.reset(h2ErrorCodes.cancel);
    await delay(10);
    assert.deepEqual([recorder.answer.headers, recorder.late], [undefined, []]);
  });
}

/** Breaks a connection; with a reset where Node.js can send one. */
function breakOff(socket: Socket, { sockets }: EnginePair): void {
  if (sockets === undefined) socket.resetAndDestroy();
  else socket.destroy();
}
