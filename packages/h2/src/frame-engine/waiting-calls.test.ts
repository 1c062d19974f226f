// Calls that wait at the client for the backend's limit on open calls.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { answerHead, openRecordedCall } from '../conformance/index.ts';
import { gatewayLimits } from '../engine.ts';
import { frameEngine } from './frame-engine.ts';
import { frameTypes, settingIds } from './frame-types.ts';
import {
  data,
  endHeaders,
  endStream,
  frame,
  headers,
  number,
  settings,
  settingsAnswer,
} from './testing/frames.ts';
import { socketKinds } from './testing/socket-pairs.ts';

const status = ['grpc-status', '0'];
const last = endHeaders | endStream;
const body = Buffer.from('unread');

/** Each way in which a backend ends stream 1, and whether its body is read then. */
const endings: readonly (readonly [what: string, frames: readonly Buffer[]])[] = [
  ['a complete answer', [headers(1, answerHead), data(1, body), headers(1, status, last)]],
  ['an end without trailers', [headers(1, answerHead), data(1, body, endStream)]],
  ['a reset', [headers(1, answerHead), data(1, body), frame(frameTypes.resetStream, 0, 1, number(8))]],
];

for (const [kind, open] of socketKinds) {
  for (const [what, frames] of endings) {
    test(`over ${kind}, ${what} of a paused call lets the next call begin`, async () => {
      const { near, far } = await open();
      const client = frameEngine.connect(near, gatewayLimits);
      const received: Buffer[] = [];
      far.on('error', () => {});
      far.on('data', (chunk: Buffer) => received.push(Buffer.from(chunk)));
      far.write(Buffer.concat([settings([settingIds.maxConcurrentStreams, 1]), settingsAnswer]));
      await client.ready;
      const paused = openRecordedCall(client, ['x-first', 'it-is-paused']);
      paused.recorder.onHeaders = () => paused.call.pause();
      paused.call.end();
      const next = openRecordedCall(client, ['x-next', 'it-begins']);
      next.call.end();
      const hasReceived = async (text: string) => {
        const isThere = () => Buffer.concat(received).includes(text);
        for (const endMs = performance.now() + 10_000; !isThere() && performance.now() < endMs; )
          await delay(2);
        return isThere();
      };
      assert.ok(await hasReceived('it-is-paused'));
      far.write(Buffer.concat(frames));
      assert.ok(await hasReceived('it-begins'));
      far.write(headers(3, [...answerHead, ...status], last));
      assert.equal((await next.recorder.done).last, true);
      if (what !== 'a reset') {
        paused.call.resume();
        assert.deepEqual(Buffer.concat((await paused.recorder.done).body), body);
      }
      client.destroy();
      far.destroy();
      await client.closed;
    });
  }
}
