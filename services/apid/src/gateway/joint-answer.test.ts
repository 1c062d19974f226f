// What a client reads in a joint answer when one of the nodes lies about its name, or damages its part.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Data, Metadata } from '@nodewright/contract/gen/common/common.ts';
import { MemoryResponse, NetstatResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { type InboundCall, MessageCollector, messagePrefix } from '@nodewright/h2';
import { AnswerRecorder, answerHead, requestHead } from '@nodewright/h2/conformance';
import { openGatewayRig, RigBackend } from './testing/gateway-rig.ts';

/** Calls nodes together; each sends its messages and ends well. Returns the messages that the client receives. */
async function jointMessages(
  path: string,
  nodes: ReadonlyMap<string, readonly Uint8Array[]>,
): Promise<Buffer[]> {
  await using scope = new AsyncDisposableStack();
  const serve = (call: InboundCall, messages: readonly Uint8Array[]) => {
    call.receive({ requestData() {}, requestEnded() {}, answerDrained() {}, cancelled() {} });
    call.resume();
    call.respond(answerHead);
    for (const body of messages) call.write(Buffer.concat([messagePrefix(body.length), body]));
    call.finish(['grpc-status', '0']);
  };
  const backends = new Map(
    [...nodes].map(([name, messages]) => [name, new RigBackend((call) => serve(call, messages))]),
  );
  const backend = (name: string) => backends.get(name)?.dial() ?? Promise.reject(new Error(`no ${name}`));
  const dial = {
    dialMachined: () => Promise.reject(new Error('no call of this node')),
    dialNode: (_: unknown, name: string) => backend(name),
  };
  const client = await (await openGatewayRig(dial, scope)).connect('os:reader');
  const recorder = new AnswerRecorder();
  const head = requestHead.map((text, index) => (requestHead[index - 1] === ':path' ? path : text));
  const call = client.openCall([...head, ...[...nodes.keys()].flatMap((name) => ['nodes', name])], recorder);
  call?.end();
  const { body } = await recorder.done;
  const collector = new MessageCollector(64 * 1024 * 1024);
  return body.flatMap((chunk) => [...collector.push(chunk)].map((message) => Buffer.from(message.body)));
}

/** A last field 1000 without its last bytes: what follows is read as its end. */
const greedy = (bytes: number) => Buffer.from([0xc2, 0x3e, bytes]);
const entryOf = (...parts: Uint8Array[]) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(0x0a, body.length), body]);
};
const memory = (free: bigint) =>
  MemoryResponse.encode(MemoryResponse.fromPartial({ messages: [{ meminfo: { memfree: free } }] })).finish();
const metadata = (fields: Partial<Metadata>) =>
  Buffer.concat([entryOf(Metadata.encode(Metadata.fromPartial(fields)).finish())]);

test('a node that leaves its last field open, or claims another name, is named in a joint answer', async () => {
  // The name that apid writes has 10 bytes: the open field takes them, and what the node wrote before stays.
  const claim = metadata({ hostname: 'node01' });
  for (const [lies, isRefused] of [
    [entryOf(claim, greedy(10)), true],
    [entryOf(claim, greedy(90)), true],
    [entryOf(claim, Buffer.from([0x13])), true],
    [entryOf(claim), false],
    [entryOf(claim, claim), false],
  ] as const) {
    const answers = new Map([
      ['node01', [memory(1n)]],
      ['node02', [lies]],
      ['node03', [memory(3n)]],
    ]);
    const [answer, ...more] = await jointMessages('/machine.MachineService/Memory', answers);
    assert.equal(more.length, 0);
    const { messages } = MemoryResponse.decode(answer ?? Buffer.alloc(0));
    const seen = messages.map((each) => [
      each.metadata?.hostname,
      each.meminfo?.memfree,
      each.metadata?.status?.code,
    ]);
    assert.deepEqual(
      seen.sort(),
      [
        ['node01', 1n, undefined],
        ['node02', undefined, isRefused ? 2 : undefined],
        ['node03', 3n, undefined],
      ],
      lies.toString('hex'),
    );
  }
});

test('a node names itself in each message of a joint stream, and its own error stays', async () => {
  const data = Data.encode(Data.fromPartial({ bytes: Buffer.from('line') })).finish();
  const claim = metadata({ hostname: 'node01', error: 'half of it' });
  const answers = new Map([
    ['node01', [data]],
    ['node02', [Buffer.concat([claim, data]), Buffer.concat([claim, greedy(10)]), data]],
  ]);
  const messages = await jointMessages('/machine.MachineService/Logs', answers);
  const seen = messages
    .map((message) => Data.decode(message))
    .map((each) => [each.metadata?.hostname, each.metadata?.error, each.bytes.toString()]);
  assert.deepEqual(
    seen.filter(([name]) => name !== 'node02'),
    [['node01', '', 'line']],
  );
  const [first, second, ...others] = seen.filter(([name]) => name === 'node02');
  assert.deepEqual(first, ['node02', 'half of it', 'line']);
  assert.match(second?.[1] ?? '', /^rpc error: code = Unknown desc = unexpected message format: the entry/);
  assert.deepEqual(others, []);
});

test('a joint netstat has all 20,000 connections of each node', async () => {
  const connections = Array.from({ length: 20_000 }, (_, index) => ({
    ...{ l4proto: 'tcp', localip: '10.5.0.2', localport: index, remoteip: '10.5.0.3', remoteport: 443 },
  }));
  const answer = NetstatResponse.encode(
    NetstatResponse.fromPartial({ messages: [{ connectrecord: connections }] }),
  ).finish();
  const [joint] = await jointMessages(
    '/machine.MachineService/Netstat',
    new Map([
      ['node01', [answer]],
      ['node02', [answer]],
    ]),
  );
  const { messages } = NetstatResponse.decode(joint ?? Buffer.alloc(0));
  assert.deepEqual(messages.map((each) => each.metadata?.hostname).sort(), ['node01', 'node02']);
  for (const { connectrecord } of messages)
    assert.deepEqual(
      connectrecord.map(({ localport }) => localport),
      connections.map(({ localport }) => localport),
    );
});
