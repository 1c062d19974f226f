import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headerValue } from '@nodewright/h2';
import { answerHead, openRecordedCall } from '@nodewright/h2/conformance';
import { eventually } from '@nodewright/testkit';
import { openGatewayRig, RigBackend } from './testing/gateway-rig.ts';

test('a certificate that ends during a call ends the calls of its client, and none of other clients', async () => {
  await using scope = new AsyncDisposableStack();
  // Each call stays open.
  const machined = new RigBackend((call) => call.respond(answerHead));
  const rig = await openGatewayRig(
    {
      dialMachined: () => machined.dial(),
      dialNode: () => Promise.reject(new Error('no other node')),
    },
    scope,
  );
  const other = await rig.connect('os:reader');
  // Times in certificates are whole seconds: it ends in 4 to 5 s.
  const short = await rig.connectFor(1 + 5 / 3600, 'os:reader');
  const calls = [other, short, other].map((client) => {
    const { call, recorder } = openRecordedCall(client);
    call.end();
    return { recorder, isOver: recorder.done.then(() => true) };
  });
  await eventually(() => machined.calls.length === 3, { what: 'three calls' });
  const ended = await calls[1]?.recorder.done;
  assert.equal(headerValue(ended?.trailers ?? [], 'grpc-status'), '16');
  // What the gateway would have sent the other client arrives before the answer to a later call.
  const later = openRecordedCall(other);
  later.call.end();
  await eventually(() => machined.calls.length === 4, { what: 'a later call' });
  machined.calls[3]?.finish(['grpc-status', '0']);
  await later.recorder.done;
  const open = await Promise.all(
    [calls[0], calls[2]].map((one) => Promise.race([one?.isOver, Promise.resolve(false)])),
  );
  assert.deepEqual(open, [false, false]);
});
