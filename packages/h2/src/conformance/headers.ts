import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EnginePair, openPair } from './engine-pair.ts';
import { answerHead, openRecordedCall, requestHead } from './recorder.ts';

/** Header blocks arrive unchanged in both directions. */
export function testHeaders(label: string, engines: EnginePair): void {
  test(`${label}: request fields arrive in order, with repeated fields and unchanged bytes`, async () => {
    const extra = [
      'nodes',
      'node02',
      'x-text',
      'caf\u00e9, "quoted"',
      'nodes',
      'node03',
      'x-bin',
      'AAEC/w',
      'x-empty',
      '',
    ];
    const seen = Promise.withResolvers<readonly string[]>();
    await using pair = await openPair(engines, (call) => {
      seen.resolve(call.headers);
      assert.deepEqual(
        [call.method, call.path, call.authority],
        ['POST', '/test.Service/Method', 'localhost'],
      );
      call.respond([...answerHead, 'grpc-status', '0'], true);
    });
    const { call, recorder } = openRecordedCall(pair.client, extra);
    call.end();
    await recorder.done;
    assert.deepEqual(await seen.promise, [...requestHead, ...extra]);
  });

  test(`${label}: response headers and trailers arrive with their repeated fields`, async () => {
    await using pair = await openPair(engines, (call) => {
      call.respond([...answerHead, 'x-head', '1', 'x-head', '2']);
      call.finish(['grpc-status', '0', 'x-trail', 'b', 'x-trail', 'a']);
    });
    const { call, recorder } = openRecordedCall(pair.client);
    call.end();
    const { headers, trailers, body } = await recorder.done;
    assert.deepEqual(
      { headers, trailers, body },
      {
        headers: [...answerHead, 'x-head', '1', 'x-head', '2'],
        trailers: ['grpc-status', '0', 'x-trail', 'b', 'x-trail', 'a'],
        body: [],
      },
    );
  });

  test(`${label}: a response of headers only is reported as the last event`, async () => {
    const head = [...answerHead, 'grpc-status', '5', 'grpc-message', 'no such disk'];
    await using pair = await openPair(engines, (call) => call.respond(head, true));
    const { call, recorder } = openRecordedCall(pair.client);
    call.end();
    const answer = await recorder.done;
    assert.deepEqual(answer, {
      headers: head,
      last: true,
      body: [],
      trailers: undefined,
      failure: undefined,
    });
  });

  test(`${label}: a field of 60,000 bytes arrives in both directions`, async () => {
    const large = 'x'.repeat(60_000);
    await using pair = await openPair(engines, (call) => {
      const at = call.headers.indexOf('x-large');
      call.respond([...answerHead, 'x-large', call.headers[at + 1] ?? ''], true);
    });
    const { call, recorder } = openRecordedCall(pair.client, ['x-large', large]);
    call.end();
    assert.deepEqual((await recorder.done).headers, [...answerHead, 'x-large', large]);
  });
}
