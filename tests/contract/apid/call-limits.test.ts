// Limits of one call in apid: metadata and buffered bytes. A call beyond them is refused, and others are
// still served.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { type Behaviour, reply } from './harness/backend.ts';
import { Client } from './harness/client.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());

const mib = 1024 ** 2;
const version = '/machine.MachineService/Version';
const memory = '/machine.MachineService/Memory';

/** A length-delimited field of protobuf. */
function field(number: number, body: Uint8Array): Buffer {
  const head = [number * 8 + 2];
  for (let left = body.length; ; left = Math.floor(left / 128)) {
    head.push(left < 128 ? left : (left % 128) + 128);
    if (left < 128) return Buffer.concat([Buffer.from(head), body]);
  }
}

/** One node's answer, in a field that apid does not know. */
const large = field(1, field(15, Buffer.alloc(20 * mib)));

/** Answers `Memory` with 20 MiB. */
const behave: Behaviour = (call) => reply(call.path === memory ? large : undefined)(call);
const apid = scope.use(await ApidUnderTest.start({ machined: behave }));
for (const name of ['node02', 'node03', 'node04']) await apid.peer(name, behave);

const connect = async () =>
  scope.use(await Client.connect(apid.tlsWith(await apid.authority.client('os:reader'))));
const nodes = (...names: string[]) => names.map((name): [string, string] => ['nodes', name]);

test('apid refuses a call to many nodes whose answers exceed the buffer limit of one caller', async () => {
  const [client, other] = [await connect(), await connect()];
  const two = await client.call(memory, { metadata: nodes('node02', 'node03') });
  assert.deepEqual([two.code, two.body.length > 40 * mib], [0, true]);
  const three = await client.call(memory, { metadata: nodes('node02', 'node03', 'node04') });
  assert.deepEqual(
    [three.code, three.message],
    [8, 'open calls hold more than 50331648 bytes on this node, try again later'],
  );
  assert.equal((await other.call(memory, { metadata: nodes('node02', 'node03') })).code, 0);
  // The refused call has released its buffered bytes.
  assert.equal((await client.call(memory, { metadata: nodes('node02', 'node03') })).code, 0);
});

test('apid accepts metadata of 120 KiB, refuses more than 128 KiB, and keeps the connection', async () => {
  const [client, other] = [await connect(), await connect()];
  // Values of 1 KiB: HTTP/2 counts each name and value, and 32 bytes for the pair.
  const metadata = (pairs: number) =>
    Array.from({ length: pairs }, (_, at): [string, string] => [
      `x-${String(at).padStart(6, '0')}`,
      'v'.repeat(1024 - 40),
    ]);
  assert.equal((await client.call(version, { metadata: metadata(120) })).code, 0);
  const refused = await client.call(version, { metadata: metadata(132) });
  // ENHANCE_YOUR_CALM, on this stream only.
  assert.deepEqual([refused.code, refused.rstCode], [undefined, 11]);
  assert.equal((await client.call(version)).code, 0);
  assert.equal((await other.call(version)).code, 0);
});
