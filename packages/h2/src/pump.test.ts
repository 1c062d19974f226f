import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { InboundCall } from './call.ts';
import { answerHead, openPair, openRecordedCall, RequestRecorder } from './conformance/index.ts';
import type { H2Engine } from './engine.ts';
import { frameEngine } from './frame-engine/frame-engine.ts';
import { statusFromHeaders } from './grpc-status.ts';
import { nodeEngine } from './node-engine/node-engine.ts';
import { Pump, type PumpFailure, type PumpOutcome } from './pump.ts';
import { filterHeaders } from './raw-headers.ts';

function message(length: number, declared = length): Buffer {
  const bytes = Buffer.alloc(5 + length, 9);
  bytes[0] = 0;
  bytes.writeUInt32BE(declared, 1);
  return bytes;
}

function testPump(engine: H2Engine): void {
  const engines = { server: engine, client: engine };

  /** A client, a pump with a limit of 1000 bytes per message, and a backend. */
  async function openGateway(onBackendCall: (call: InboundCall) => void) {
    const scope = new AsyncDisposableStack();
    const failures: PumpFailure[] = [];
    const outcomes: PumpOutcome[] = [];
    /** How many messages had come whenever the pump said that the response has begun. */
    const begun: number[] = [];
    const back = scope.use(await openPair(engines, onBackendCall));
    const front = scope.use(
      await openPair(engines, (inbound) => {
        const pump: Pump = new Pump({
          inbound,
          maxMessageBytes: 1000,
          describe(failure) {
            failures.push(failure);
            return { code: 14, message: failure.kind };
          },
          onAnswering: () => begun.push(pump.messages),
          onDone: (outcome) => outcomes.push(outcome),
        });
        pump.start(back.client, inbound.headers);
      }),
    );
    return { front, back, failures, outcomes, begun, [Symbol.asyncDispose]: () => scope.disposeAsync() };
  }

  test('Pump forwards a response unchanged, except for fields of one hop', async () => {
    await using gateway = await openGateway((call) => {
      const request = new RequestRecorder(call);
      call.resume();
      void request.ended.then((body) => {
        call.respond([...answerHead, 'x-head', '1', 'content-length', String(body.length)]);
        call.write(body);
        call.finish(['grpc-status', '0', 'x-bin', 'AAE', 'x-bin', 'AAI']);
      });
    });
    const { call, recorder } = openRecordedCall(gateway.front.client);
    call.write(message(600));
    call.write(message(400));
    call.end();
    const { headers, body, trailers } = await recorder.done;
    assert.deepEqual(
      { headers, body: Buffer.concat(body), trailers },
      {
        headers: [...answerHead, 'x-head', '1'],
        body: Buffer.concat([message(600), message(400)]),
        trailers: ['grpc-status', '0', 'x-bin', 'AAE', 'x-bin', 'AAI'],
      },
    );
    assert.deepEqual(
      [gateway.failures, gateway.outcomes, gateway.begun],
      [[], [{ code: 0, message: '', cancelled: false }], [0]],
    );
  });

  test('Pump forwards a response of headers only as such', async () => {
    const head = [...answerHead, 'grpc-status', '5', 'grpc-message', 'no such disk'];
    await using gateway = await openGateway((call) => call.respond(head, true));
    const { recorder } = openRecordedCall(gateway.front.client);
    const { headers, last } = await recorder.done;
    assert.deepEqual([headers, last, gateway.outcomes[0]?.message], [head, true, 'no such disk']);
    assert.deepEqual(gateway.begun, []);
  });

  /**
   * Ways in which a backend misbehaves: its name, the behaviour, the failure that the pump reports, and the
   * bytes that the client receives before it.
   */
  const broken: [string, (call: InboundCall, socket: () => void) => void, PumpFailure, Buffer?][] = [
    [
      'resets before its headers',
      (call) => call.reset(2),
      { kind: 'call-failed', failure: { kind: 'reset', code: 2 }, answering: false },
    ],
    [
      'resets after its headers',
      (call) => {
        call.respond(answerHead);
        setTimeout(() => call.reset(11), 10);
      },
      { kind: 'call-failed', failure: { kind: 'reset', code: 11 }, answering: true },
    ],
    [
      'refuses the call',
      (call) => call.reset(7),
      { kind: 'call-failed', failure: { kind: 'refused' }, answering: false },
    ],
    [
      'disconnects before its headers',
      (_call, die) => die(),
      {
        kind: 'call-failed',
        failure: { kind: 'connection-closed', reason: 'read ECONNRESET' },
        answering: false,
      },
    ],
    [
      'disconnects inside a message',
      (call, die) => {
        call.respond(answerHead);
        call.write(message(100).subarray(0, 50));
        setTimeout(die, 20);
      },
      {
        kind: 'call-failed',
        failure: { kind: 'connection-closed', reason: 'read ECONNRESET' },
        answering: true,
      },
      message(100).subarray(0, 50),
    ],
    [
      'disconnects after its last message and before its trailers',
      (call, die) => {
        call.respond(answerHead);
        call.write(message(10));
        setTimeout(die, 20);
      },
      {
        kind: 'call-failed',
        failure: { kind: 'connection-closed', reason: 'read ECONNRESET' },
        answering: true,
      },
      message(10),
    ],
    [
      'ends without a status',
      (call) => {
        call.respond(answerHead);
        call.write(message(10));
        call.finish(['x-other', '1']);
      },
      { kind: 'no-status' },
      message(10),
    ],
    ['sends headers only and no status', (call) => call.respond(answerHead, true), { kind: 'no-status' }],
    [
      'ends inside a message with the status OK',
      (call) => {
        call.respond(answerHead);
        call.write(message(10).subarray(0, 8));
        call.finish(['grpc-status', '0']);
      },
      { kind: 'truncated', side: 'answer', shortfall: '3 of 10 bytes' },
      message(10).subarray(0, 8),
    ],
    [
      'sends a message over the limit',
      (call) => {
        call.respond(answerHead);
        call.write(Buffer.concat([message(10), message(20, 1001)]));
      },
      { kind: 'too-large', side: 'answer', sizeBytes: 1001, limitBytes: 1000 },
      message(10),
    ],
    [
      'responds with an HTTP error',
      (call) => {
        call.respond([':status', '502', 'content-type', 'text/html']);
        call.finish([]);
      },
      { kind: 'not-grpc', httpStatus: 502, contentType: 'text/html' },
    ],
    [
      'responds with another content type',
      (call) => {
        call.respond([':status', '200', 'content-type', 'text/html']);
        call.finish([]);
      },
      { kind: 'not-grpc', httpStatus: 200, contentType: 'text/html' },
    ],
  ];

  for (const [what, behave, failure, delivered = Buffer.alloc(0)] of broken) {
    test(`Pump sends the client a status when the backend ${what}`, async () => {
      let die = () => {};
      await using gateway = await openGateway((call) => behave(call, () => die()));
      die = () => gateway.back.serverSocket.resetAndDestroy();
      const { call, recorder } = openRecordedCall(gateway.front.client);
      call.end();
      const answer = await recorder.done;
      const status = statusFromHeaders(answer.trailers ?? answer.headers ?? []);
      assert.deepEqual(
        { failures: gateway.failures, status, body: Buffer.concat(answer.body), broke: answer.failure },
        {
          failures: [failure],
          status: { code: 14, message: failure.kind },
          body: delivered,
          broke: undefined,
        },
      );
      assert.equal(gateway.outcomes.length, 1);
    });
  }

  test('Pump keeps the status of a backend that fails inside a message', async () => {
    await using gateway = await openGateway((call) => {
      call.respond(answerHead);
      call.write(message(10).subarray(0, 8));
      call.finish(['grpc-status', '15', 'grpc-message', 'bad sector']);
    });
    const { call, recorder } = openRecordedCall(gateway.front.client);
    call.end();
    assert.deepEqual((await recorder.done).trailers, ['grpc-status', '15', 'grpc-message', 'bad sector']);
  });

  test('Pump rejects a truncated or oversized request and cancels it at the backend', async () => {
    for (const [bytes, failure] of [
      [message(10).subarray(0, 4), { kind: 'truncated', side: 'request', shortfall: '4 of 5 prefix bytes' }],
      [message(3, 1001), { kind: 'too-large', side: 'request', sizeBytes: 1001, limitBytes: 1000 }],
    ] as const) {
      const taken = Promise.withResolvers<number>();
      await using gateway = await openGateway((call) => {
        const request = new RequestRecorder(call);
        call.resume();
        void request.cancel.then(taken.resolve);
      });
      const { call, recorder } = openRecordedCall(gateway.front.client);
      call.write(bytes);
      call.end();
      const { headers } = await recorder.done;
      assert.deepEqual(
        [gateway.failures, statusFromHeaders(headers ?? []), await taken.promise],
        [[failure], { code: 14, message: failure.kind }, 8],
      );
    }
  });

  test('Pump cancels the call to the backend when the client cancels', async () => {
    const accepted = Promise.withResolvers<RequestRecorder>();
    await using gateway = await openGateway((call) => {
      accepted.resolve(new RequestRecorder(call));
      call.respond(answerHead);
    });
    const { call, recorder } = openRecordedCall(gateway.front.client);
    const request = await accepted.promise;
    await recorder.headers;
    call.reset(8);
    assert.equal(await request.cancel, 8);
    assert.deepEqual(gateway.outcomes, [
      { code: 1, message: 'the client cancelled the call', cancelled: true },
    ]);
  });

  test('Pump notices a cancel before it has a backend', async () => {
    const outcomes: PumpOutcome[] = [];
    const pumps: Pump[] = [];
    await using back = await openPair(engines, () => assert.fail('the call was made all the same'));
    await using front = await openPair(engines, (inbound) => {
      pumps.push(
        new Pump({
          inbound,
          maxMessageBytes: 1000,
          describe: () => ({ code: 14, message: '' }),
          onDone: (outcome) => outcomes.push(outcome),
        }),
      );
    });
    const { call } = openRecordedCall(front.client);
    while (pumps.length === 0) await delay(1);
    call.reset(8);
    while (outcomes.length === 0) await delay(1);
    assert.equal(pumps[0]?.start(back.client, []), true);
    await delay(10);
    assert.equal(back.client.callCount, 0);
  });

  test('Pump reports a connection that cannot take the call, and can start on another', async () => {
    await using gateway = await openGateway((call) =>
      call.respond([...answerHead, 'grpc-status', '0'], true),
    );
    await using used = await openPair(engines, () => {});
    used.client.drain();
    let tried: boolean[] = [];
    await using front = await openPair(engines, (inbound) => {
      const pump = new Pump({
        inbound,
        maxMessageBytes: 1000,
        describe: () => ({ code: 14, message: '' }),
        onDone() {},
      });
      const headers = filterHeaders(inbound.headers, () => true);
      tried = [pump.start(used.client, headers), pump.start(gateway.back.client, headers)];
    });
    const { call, recorder } = openRecordedCall(front.client);
    call.end();
    assert.equal((await recorder.done).last, true);
    assert.deepEqual(tried, [false, true]);
  });
}

for (const engine of [frameEngine, nodeEngine]) suite(`on ${engine.name}`, () => testPump(engine));
