import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@nodewright/testkit';
import { ByteBudget } from '../byte-budget.ts';
import type { InboundCall } from '../call.ts';
import { h2ErrorCodes } from '../error-codes.ts';
import { type EnginePair, noCalls, openPair } from './engine-pair.ts';
import { answerHead, openRecordedCall, RequestRecorder } from './recorder.ts';

/** Sends every byte back, with back-pressure in both directions. */
function echo(call: InboundCall): void {
  call.receive({
    requestData(chunk) {
      if (!call.write(chunk)) call.pause();
    },
    requestEnded: () => call.finish(['grpc-status', '0']),
    answerDrained: () => call.resume(),
    cancelled: () => {},
  });
  call.respond(answerHead);
  call.resume();
}

const sha = (chunks: readonly Uint8Array[]) => {
  const hash = createHash('sha256');
  for (const chunk of chunks) hash.update(chunk);
  return hash.digest('hex');
};

/** Bodies arrive complete and in order, and a slow reader pauses the writer. */
export function testBodies(label: string, engines: EnginePair): void {
  test(`${label}: 200 echoes of 0 to 1 MB, 40 at a time, come back complete`, async () => {
    await using pair = await openPair(engines, echo, {
      streamWindowBytes: 65_536,
      connectionWindowBytes: 131_072,
    });
    const source = randomBytes(1_000_000);
    let next = 0;
    const worker = async () => {
      for (let index = next++; index < 200; index = next++) {
        // Mostly small bodies, as in real calls; every seventh is large.
        const size = index % 7 === 0 ? (index * 7919) % 1_000_000 : (index * 37) % 3000;
        const body = source.subarray(0, size);
        const { call, recorder } = openRecordedCall(pair.client, ['x-call', `${index}-${'h'.repeat(400)}`]);
        for (let at = 0; at < size; at += 50_000) {
          if (!call.write(body.subarray(at, Math.min(size, at + 50_000)))) await recorder.drained;
        }
        call.end();
        const answer = await recorder.done;
        assert.deepEqual(
          { failure: answer.failure, trailers: answer.trailers, sha: sha(answer.body), late: recorder.late },
          { failure: undefined, trailers: ['grpc-status', '0'], sha: sha([body]), late: [] },
        );
      }
    };
    await Promise.all(Array.from({ length: 40 }, worker));
    await noCalls(pair.client, pair.server);
    assert.deepEqual(pair.errors, []);
  });

  test(`${label}: a call that the server does not read pauses its client, but no other call`, async () => {
    const stuck = Promise.withResolvers<InboundCall>();
    await using pair = await openPair(
      engines,
      (call) => {
        if (call.headers.includes('x-stuck')) stuck.resolve(call);
        else echo(call);
      },
      { streamWindowBytes: 65_536, connectionWindowBytes: 131_072 },
    );
    const held = openRecordedCall(pair.client, ['x-stuck', '1']);
    const request = new RequestRecorder(await stuck.promise);
    let drained = false;
    void held.recorder.drained.then(() => {
      drained = true;
    });
    assert.equal(held.call.write(Buffer.alloc(1_000_000, 1)), false);

    const other = openRecordedCall(pair.client);
    other.call.write(Buffer.from('meanwhile'));
    other.call.end();
    assert.equal(Buffer.concat((await other.recorder.done).body).toString(), 'meanwhile');
    await delay(50);
    assert.deepEqual([drained, request.body.length], [false, 0]);

    (await stuck.promise).resume();
    held.call.end();
    assert.equal((await request.ended).length, 1_000_000);
  });

  test(`${label}: what is left of an answer that is over counts in the budget until its client has read it`, async () => {
    const bytes = 120_000;
    const budget = new ByteBudget(2.5 * bytes);
    const answer = (call: InboundCall) => {
      call.limitUnread(budget, () => {});
      new RequestRecorder(call);
      call.respond(answerHead);
      call.write(Buffer.alloc(bytes, 1));
      call.finish(['grpc-status', '0']);
    };
    await using pair = await openPair(engines, answer, { streamWindowBytes: 65_535 });
    const open = () => {
      const { call, recorder } = openRecordedCall(pair.client);
      call.pause();
      call.end();
      return { call, recorder };
    };
    const holds = (count: number, what: string) =>
      eventually(() => budget.heldBytes === count * bytes, {
        what,
        explain: () => `${budget.heldBytes} bytes`,
      });
    const unread = [open(), open()];
    await holds(2, 'two answers that are counted');

    // There is no room for the third: it ends at once, and the others do not.
    const refused = open();
    const { failure } = await refused.recorder.done;
    assert.deepEqual(failure, { kind: 'reset', code: h2ErrorCodes.enhanceYourCalm });
    assert.equal(budget.heldBytes, 2 * bytes);

    for (const { call, recorder } of unread) {
      call.resume();
      assert.equal(Buffer.concat((await recorder.done).body).length, bytes);
    }
    await holds(0, 'nothing counted after they were read');
    open();
    await holds(1, 'one more answer that is counted');
    pair.clientSocket.destroy();
    await holds(0, 'nothing counted after the connection was lost');
  });

  test(`${label}: a paused response pauses its server, and arrives complete before its trailers`, async () => {
    const chunk = Buffer.alloc(32_768, 7);
    let written = 0;
    const finished = Promise.withResolvers<void>();
    await using pair = await openPair(
      engines,
      (call) => {
        const more = () => {
          while (written < 4_000_000) {
            written += chunk.length;
            if (!call.write(chunk)) return;
          }
          call.finish(['grpc-status', '0']);
          finished.resolve();
        };
        call.receive({ requestData() {}, requestEnded() {}, answerDrained: more, cancelled() {} });
        call.respond(answerHead);
        more();
      },
      { streamWindowBytes: 65_536, connectionWindowBytes: 131_072 },
    );
    const { call, recorder } = openRecordedCall(pair.client);
    call.end();
    await recorder.headers;
    call.pause();
    await delay(100);
    const held = written;
    assert.ok(held < 1_000_000, `${held} bytes were written into a paused answer`);
    call.resume();
    await finished.promise;
    const { body, trailers } = await recorder.done;
    assert.deepEqual(
      [body.reduce((sum, part) => sum + part.length, 0), trailers],
      [written, ['grpc-status', '0']],
    );
  });

  test(`${label}: a response that is complete before it is read loses nothing`, async () => {
    await using pair = await openPair(engines, (call) => {
      call.respond(answerHead);
      call.write(Buffer.alloc(50_000, 3));
      call.finish(['grpc-status', '0']);
    });
    const { call, recorder } = openRecordedCall(pair.client);
    recorder.onHeaders = () => call.pause();
    call.end();
    await recorder.headers;
    await delay(50);
    assert.equal(recorder.answer.trailers, undefined);
    call.resume();
    const { body, trailers } = await recorder.done;
    assert.deepEqual([Buffer.concat(body).length, trailers], [50_000, ['grpc-status', '0']]);
  });

  test(`${label}: an answer is sent once the window of its client has let the last of it through, or it was reset`, async () => {
    const accepted: InboundCall[] = [];
    await using pair = await openPair(
      engines,
      (call) => {
        accepted.push(call);
        call.respond(answerHead);
        call.write(Buffer.alloc(200_000));
        call.finish(['grpc-status', '0']);
      },
      { streamWindowBytes: 65_536, connectionWindowBytes: 1_000_000 },
    );
    for (const isReset of [false, true]) {
      const { call: sent, recorder } = openRecordedCall(pair.client);
      recorder.onHeaders = () => sent.pause();
      sent.end();
      await recorder.headers;
      await delay(50);
      const call = accepted.pop() ?? assert.fail('no call');
      assert.equal(call.isSent, false);
      if (isReset) call.reset(h2ErrorCodes.cancel);
      sent.resume();
      const { failure } = await recorder.done;
      assert.deepEqual(failure, isReset ? { kind: 'reset', code: h2ErrorCodes.cancel } : undefined);
      await noCalls(pair.client, pair.server);
      assert.equal(call.isSent, true);
    }
  });

  test(`${label}: a request without a body ends after resume, not before`, async () => {
    const accepted = Promise.withResolvers<{ call: InboundCall; request: RequestRecorder }>();
    await using pair = await openPair(engines, (call) =>
      accepted.resolve({ call, request: new RequestRecorder(call) }),
    );
    const { call: sent, recorder } = openRecordedCall(pair.client);
    sent.end();
    const { call, request } = await accepted.promise;
    let hasEnded = false;
    const ended = request.ended.then((body) => {
      hasEnded = true;
      return body;
    });
    await delay(50);
    assert.equal(hasEnded, false);
    call.resume();
    assert.equal((await ended).length, 0);
    call.respond([...answerHead, 'grpc-status', '0'], true);
    assert.equal((await recorder.done).failure, undefined);
    await noCalls(pair.client, pair.server);
  });

  test(`${label}: a response that begins early does not cut off its request`, async () => {
    const arrived = Promise.withResolvers<number>();
    await using pair = await openPair(
      engines,
      (call) => {
        let bytes = 0;
        call.receive({
          requestData: (chunk) => {
            bytes += chunk.length;
            // The first bytes are enough for the answer, but the rest is read as well.
            if (bytes === chunk.length) call.respond(answerHead);
          },
          requestEnded: () => {
            call.finish(['grpc-status', '0']);
            arrived.resolve(bytes);
          },
          answerDrained() {},
          cancelled: () => arrived.resolve(-1),
        });
        call.resume();
      },
      { streamWindowBytes: 65_536, connectionWindowBytes: 65_536 },
    );
    const { call, recorder } = openRecordedCall(pair.client);
    call.write(Buffer.alloc(300_000));
    call.end();
    assert.deepEqual([await arrived.promise, (await recorder.done).failure], [300_000, undefined]);
    await noCalls(pair.client, pair.server);
  });
}
