import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import type { BackendCall } from './harness/backend.ts';
import { Client } from './harness/client.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
const apid = scope.use(await ApidUnderTest.start());
const peer = await apid.peer('node02');

const memory = '/machine.MachineService/Memory';

/** The `talos-role` that machined gets from a caller with these organisations who claims these roles. */
async function rolesAtMachined(organizations: string[], ...claimed: string[]): Promise<string[]> {
  await using client = await Client.connect(apid.tlsWith(await apid.authority.client(...organizations)));
  const before = apid.machined.calls.length;
  await client.call(memory, { metadata: claimed.map((role) => ['talos-role', role] as const) });
  const call: BackendCall | undefined = apid.machined.calls[before];
  return call?.values('talos-role') ?? ['the call did not arrive'];
}

test("apid sends machined the roles of the caller's certificate, sorted, one per field", async () => {
  assert.deepEqual(await rolesAtMachined(['os:reader', 'os:etcd:backup', 'os:future']), [
    'os:etcd:backup',
    'os:future',
    'os:reader',
  ]);
});

test('apid replaces the roles that a caller claims by those of the certificate', async () => {
  assert.deepEqual(await rolesAtMachined(['os:reader'], 'os:admin', 'os:operator'), ['os:reader']);
});

test('apid ignores a claimed role when the certificate has none', async () => {
  assert.deepEqual(await rolesAtMachined([], 'os:admin'), ['the call did not arrive']);
});

test('apid accepts the roles that an impersonator claims, instead of its own', async () => {
  assert.deepEqual(
    [
      await rolesAtMachined(['os:impersonator'], 'os:reader', 'os:future'),
      await rolesAtMachined(['os:impersonator', 'os:admin'], 'os:reader'),
      await rolesAtMachined(['os:impersonator']),
      await rolesAtMachined(['os:impersonator'], ''),
    ],
    [['os:future', 'os:reader'], ['os:reader'], ['the call did not arrive'], ['the call did not arrive']],
  );
});

test('apid sends the next node the roles of the caller, and the address of the entry node', async () => {
  const reader = await apid.client('os:reader');
  await reader.call(memory, {
    metadata: [
      ['node', 'node02'],
      ['talos-role', 'os:admin'],
    ],
  });
  const call = peer.backend.calls.at(-1);
  assert.deepEqual(
    ['talos-role', 'proxyfrom', 'node', ':authority'].map((name) => call?.values(name)),
    [['os:reader'], ['gateway.test'], [], ['node02:50000']],
  );
});

test('apid presents its own certificate to the next node, with the impersonator role', async () => {
  const admin = await apid.client();
  const seen = Promise.withResolvers<string | undefined>();
  peer.backend.behave = ({ session, stream }) => {
    // The session wraps the TLS socket in a proxy, which forwards these properties.
    const { socket } = session as unknown as {
      socket: { getPeerCertificate(): { subject: { O?: string } } };
    };
    seen.resolve(socket.getPeerCertificate().subject.O);
    stream.respond(
      { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '0' },
      { endStream: true },
    );
  };
  await admin.call(memory, { metadata: [['node', 'node02']] });
  assert.equal(await seen.promise, 'os:impersonator');
});
