import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { InboundCall } from '../call.ts';
import { gatewayLimits } from '../engine.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import { type EnginePair, openPair, openSocketPair } from './engine-pair.ts';
import { answerHead, openRecordedCall } from './recorder.ts';

/** Connections open, drain and refuse calls as specified. */
export function testConnections(label: string, engines: EnginePair): void {
  test(`${label}: a drained server finishes its open calls and closes; later calls are refused`, async () => {
    const accepted: InboundCall[] = [];
    await using pair = await openPair(engines, (call) => accepted.push(call));
    const before = openRecordedCall(pair.client);
    before.call.end();
    while (accepted.length === 0) await delay(1);
    pair.server.drain();
    // The client has not received the GOAWAY yet, so these calls arrive after it was sent.
    const crossing = openRecordedCall(pair.client);
    crossing.call.end();
    assert.deepEqual((await crossing.recorder.done).failure, { kind: 'refused' });
    assert.equal(pair.client.usable, false);
    assert.equal(pair.client.openCall([], crossing.recorder), undefined);

    accepted[0]?.respond(answerHead);
    accepted[0]?.write(Buffer.from('still here'));
    accepted[0]?.finish(['grpc-status', '0']);
    const { body, trailers } = await before.recorder.done;
    assert.deepEqual([Buffer.concat(body).toString(), trailers], ['still here', ['grpc-status', '0']]);
    await Promise.all([pair.server.closed, pair.client.closed]);
    assert.equal(accepted.length, 1);
  });

  test(`${label}: a drained client finishes its calls and closes`, async () => {
    const accepted = Promise.withResolvers<InboundCall>();
    await using pair = await openPair(engines, (call) => accepted.resolve(call));
    const { call, recorder } = openRecordedCall(pair.client);
    call.end();
    const inbound = await accepted.promise;
    pair.client.drain();
    assert.deepEqual([pair.client.usable, pair.client.openCall([], recorder)], [false, undefined]);
    inbound.respond([...answerHead, 'grpc-status', '0'], true);
    assert.equal((await recorder.done).last, true);
    await Promise.all([pair.server.closed, pair.client.closed]);
  });

  test(`${label}: calls to a dead peer fail, calls to a peer that is only idle continue`, async () => {
    const liveness = { silenceMs: 60, answerMs: 100, restMs: 0 };
    for (const isGone of [false, true]) {
      const [outer, inner] = await Promise.all([openSocketPair(), openSocketPair()]);
      const accepted = Promise.withResolvers<InboundCall>();
      const limits = { ...gatewayLimits, liveness };
      const server = engines.server.accept(inner.far, limits, {
        onCall: (call) => accepted.resolve(call),
        onError: () => {},
      });
      outer.far.pipe(inner.near);
      inner.near.pipe(outer.far);
      const client = engines.client.connect(outer.near, limits);
      await client.ready;
      const { call, recorder } = openRecordedCall(client);
      call.end();
      const inbound = await accepted.promise;
      if (isGone) inner.near.unpipe(outer.far).resume();
      await delay(400);
      if (!isGone) inbound.respond([...answerHead, 'grpc-status', '0'], true);
      const { failure, last } = await recorder.done;
      assert.deepEqual([failure, last], isGone ? [{ kind: 'silent' }, false] : [undefined, true]);
      client.destroy();
      server.destroy();
      for (const socket of [outer.far, inner.near]) socket.destroy();
      await Promise.all([client.closed, server.closed]);
    }
  });

  test(`${label}: a dead peer is noticed by calls that are each too short for it`, async () => {
    const [outer, inner] = await Promise.all([openSocketPair(), openSocketPair()]);
    const limits = { ...gatewayLimits, liveness: { silenceMs: 200, answerMs: 100, restMs: 0 } };
    const server = engines.server.accept(inner.far, limits, { onCall: () => {}, onError: () => {} });
    outer.far.pipe(inner.near);
    inner.near.pipe(outer.far);
    const client = engines.client.connect(outer.near, limits);
    await client.ready;
    inner.near.unpipe(outer.far).resume();
    for (let round = 0; client.usable && round < 500; round += 1) {
      const { call } = openRecordedCall(client);
      await delay(10);
      call.reset(h2ErrorCodes.cancel);
      await delay(10);
    }
    const isNoticed = !client.usable;
    client.destroy();
    server.destroy();
    for (const socket of [outer.far, inner.near]) socket.destroy();
    await Promise.all([client.closed, server.closed]);
    assert.equal(isNoticed, true);
  });

  test(`${label}: calls above the server's limit wait at the client`, async () => {
    let now = 0;
    let most = 0;
    await using pair = await openPair(
      engines,
      (call) => {
        now += 1;
        most = Math.max(most, now);
        setTimeout(() => {
          now -= 1;
          call.respond([...answerHead, 'grpc-status', '0'], true);
        }, 2);
      },
      { maxConcurrentCalls: 3 },
    );
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => {
        const { call, recorder } = openRecordedCall(pair.client);
        call.end();
        return recorder.done;
      }),
    );
    assert.deepEqual([most, answers.filter(({ last }) => last).length], [3, 20]);
  });

  test(`${label}: garbage from a client ends its connection with a reason`, async () => {
    const { near, far } = await openSocketPair();
    const errors: string[] = [];
    const server = engines.server.accept(far, gatewayLimits, {
      onCall: () => assert.fail('garbage was taken for a call'),
      onError: (reason) => errors.push(reason),
    });
    near.on('error', () => {});
    near.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    near.resume();
    await server.closed;
    assert.equal(errors.length, 1);
  });

  test(`${label}: a client that sends nothing is disconnected after the preface timeout`, async () => {
    const { near, far } = await openSocketPair();
    const errors: string[] = [];
    const server = engines.server.accept(
      far,
      { ...gatewayLimits, prefaceTimeoutMs: 30 },
      { onCall() {}, onError: (reason) => errors.push(reason) },
    );
    near.resume();
    await Promise.all([server.closed, once(near, 'close')]);
    assert.deepEqual(errors, ['the client sent no HTTP/2 preface within 30 ms']);
  });

  test(`${label}: ready rejects when the backend closes or does not speak HTTP/2`, async () => {
    for (const reply of ['', 'HTTP/1.1 400 Bad Request\r\n\r\n']) {
      const { near, far } = await openSocketPair();
      const client = engines.client.connect(near, gatewayLimits);
      far.on('error', () => {});
      far.end(reply);
      far.resume();
      await assert.rejects(client.ready);
      await client.closed;
      assert.equal(client.usable, false);
    }
  });
}
