import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ClientConnection, headerValue, type InboundCall } from '@nodewright/h2';
import { answerHead, openRecordedCall } from '@nodewright/h2/conformance';
import { eventually } from '@nodewright/testkit';
import { dialDead, openGatewayRig, RigBackend } from './testing/gateway-rig.ts';

const succeed = (call: InboundCall) => call.respond([...answerHead, 'grpc-status', '0'], true);

/** Opens calls at once. `codes` resolves to their statuses, `ended` counts those that are over. */
function callAtOnce(client: ClientConnection, count: number, node?: string) {
  const counts = { ended: 0 };
  const metadata = node === undefined ? [] : ['node', node];
  const codes = Array.from({ length: count }, async () => {
    const { call, recorder } = openRecordedCall(client, metadata);
    call.end();
    const { headers, trailers } = await recorder.done;
    counts.ended += 1;
    return headerValue(trailers ?? headers ?? [], 'grpc-status');
  });
  return { counts, codes: Promise.all(codes) };
}

test('calls to a dead node delay no call of another client, and none to another node', async () => {
  await using scope = new AsyncDisposableStack();
  const [machined, healthy] = [new RigBackend(succeed), new RigBackend(succeed)];
  let dials = 0;
  const rig = await openGatewayRig(
    {
      dialMachined: () => machined.dial(),
      dialNode(_identity, node, signal) {
        if (node !== 'dead') return healthy.dial();
        dials += 1;
        return dialDead(signal);
      },
    },
    scope,
  );
  const [first, second, other] = await Promise.all([1, 2, 3].map(() => rig.connect('os:reader')));
  assert.ok(first !== undefined && second !== undefined && other !== undefined);
  const dead = [callAtOnce(first, 3, 'dead'), callAtOnce(second, 3, 'dead')];
  await eventually(() => dials > 0 && (rig.seen()?.shares.open ?? 0) === 6, { what: 'six calls', pollMs: 1 });

  for (const client of [other, first]) {
    const answered = await Promise.all([callAtOnce(client, 8).codes, callAtOnce(client, 8, 'healthy').codes]);
    assert.deepEqual(answered.flat(), Array(16).fill('0'));
  }
  assert.deepEqual(
    dead.map(({ counts }) => counts.ended),
    [0, 0],
  );
});

test('calls that wait for their turn use a new connection when theirs has closed', async () => {
  await using scope = new AsyncDisposableStack();
  const count = 40;
  const machined: RigBackend = new RigBackend((call) => {
    const [firstConnection, ...others] = machined.connections;
    if (others.length > 0) succeed(call);
    else if (machined.calls.length === 4) firstConnection?.destroy();
  });
  const rig = await openGatewayRig(
    {
      dialMachined: () => machined.dial(),
      dialNode: () => Promise.reject(new Error('no other node')),
    },
    scope,
  );
  const codes = await callAtOnce(await rig.connect('os:reader'), count).codes;
  // Unavailable: the call was sent, and its connection closed before the answer.
  assert.deepEqual(new Set(codes), new Set(['14', '0']));
  assert.equal(machined.connections.length, 2);
});

test('calls to a node that refuses connections fail no faster than other calls', async () => {
  await using scope = new AsyncDisposableStack();
  const rig = await openGatewayRig(
    {
      dialMachined: () => Promise.reject(new Error('no machined')),
      dialNode: () => Promise.reject(new Error('connection refused')),
    },
    scope,
  );
  const count = 60;
  const client = await rig.connect('os:reader');
  const begun = performance.now();
  const codes = await callAtOnce(client, count, 'refusing').codes;
  assert.deepEqual(new Set(codes), new Set(['14']));
  // Of a caller of which no call succeeds, 4 calls at a time have a place, and keep it for 20 ms.
  const turns = count / 4;
  assert.ok(performance.now() - begun > (turns / 2) * 20);
});
