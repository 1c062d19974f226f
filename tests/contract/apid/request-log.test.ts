import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ApidUnderTest } from './harness/apid-under-test.ts';
import { fail, reply } from './harness/backend.ts';
import { Client } from './harness/client.ts';

const scope = new AsyncDisposableStack();
after(() => scope.disposeAsync());
// Successful reads of readers have their lines at this level.
const apid = scope.use(await ApidUnderTest.start({ env: { LOG_LEVEL: 'debug' } }));
const memory = '/machine.MachineService/Memory';
const read = '/machine.MachineService/Read';
let seen = 0;

async function nextLine(): Promise<Record<string, unknown>> {
  seen += 1;
  return (await apid.logged('request finished', seen)).at(-1) ?? {};
}

test('each request gives one line with caller, method and result', async () => {
  const client = await apid.client('os:reader', 'os:future');
  await client.call(memory, {
    metadata: [
      ['runtime', 'Talos'],
      ['x-many', 'a'],
      ['x-many', 'b'],
    ],
  });
  const { method, code, durationMs, peer, roles, rolesFrom, unknownRoles, metadata, error, level } =
    await nextLine();
  assert.deepEqual(
    { method, code, roles, rolesFrom, unknownRoles, error, level },
    {
      method: memory,
      code: 'OK',
      roles: ['os:future', 'os:reader'],
      rolesFrom: 'certificate',
      unknownRoles: ['os:future'],
      error: undefined,
      level: 'debug',
    },
  );
  assert.ok(typeof durationMs === 'number' && durationMs > 0 && durationMs < 60_000);
  assert.match(String(peer), /^127\.0\.0\.1:\d+$/);
  assert.deepEqual(metadata, {
    ':authority': 'gateway.test',
    te: 'trailers',
    'content-type': 'application/grpc',
    runtime: 'Talos',
    'x-many': 'a,b',
  });
});

test('the line of a failed request has the error, and that of an impersonated one both sets of roles', async () => {
  apid.machined.behave = fail(7, 'not authorized');
  await using client = await Client.connect(apid.tlsWith(await apid.authority.client('os:impersonator')));
  await client.call(memory, {
    metadata: [
      ['talos-role', 'os:reader'],
      ['proxyfrom', 'node02'],
    ],
  });
  apid.machined.behave = reply();
  const { level, code, error, roles, rolesFrom, organizations } = await nextLine();
  assert.deepEqual(
    { level, code, error, roles, rolesFrom, organizations },
    {
      level: 'info',
      code: 'PermissionDenied',
      error: 'not authorized',
      roles: ['os:reader'],
      rolesFrom: 'metadata',
      organizations: ['os:impersonator'],
    },
  );
});

test('a read that needs os:admin is logged at info, with the caller and its roles', async () => {
  const client = await apid.client('os:admin');
  await client.call(read);
  const { level, method, code, roles, peer } = await nextLine();
  assert.deepEqual(
    { level, method, code, roles },
    { level: 'info', method: read, code: 'OK', roles: ['os:admin'] },
  );
  assert.match(String(peer), /^127\.0\.0\.1:\d+$/);
});

test('apid writes no line about a successful read of a reader by default, and one about each other call', async () => {
  await using quiet = await ApidUnderTest.start();
  const client = await quiet.client('os:admin');
  await client.call(memory);
  await client.call(read);
  const lines = await quiet.logged('request finished');
  assert.deepEqual(
    lines.map(({ method }) => method),
    [read],
  );
});

test('secrets in metadata are not logged, nor is a peer that a client claims', async () => {
  const client = await apid.client();
  await client.call(memory, {
    metadata: [
      ['token', 'abcdef.0123456789abcdef'],
      ['authorization', 'Basic c2VjcmV0'],
      ['x-api-key', 'topsecret'],
      ['peer', '10.0.0.1:1'],
    ],
  });
  const { metadata } = await nextLine();
  const { token, authorization, 'x-api-key': key, peer } = metadata as Record<string, unknown>;
  assert.deepEqual(
    { token, authorization, key, peer },
    { token: '<hidden>', authorization: '<hidden>', key: '<hidden>', peer: undefined },
  );
  const log = apid.process.stdout();
  for (const secret of ['abcdef.0123', 'c2VjcmV0', 'topsecret', 'PRIVATE KEY'])
    assert.equal(log.includes(secret), false);
});

test('cancelled and refused requests have lines, too', async () => {
  apid.machined.behave = ({ respond }) => respond();
  const client = await apid.client();
  const call = client.open(memory);
  await call.headers;
  call.stream.close(8);
  apid.machined.behave = reply();
  assert.equal((await nextLine()).code, 'Canceled');
  await client.call(memory, { head: { 'content-type': 'text/html' } });
  const { code, error } = await nextLine();
  assert.deepEqual(
    [code, error],
    ['InvalidArgument', 'content-type must be application/grpc, not "text/html"'],
  );
});

test("lines carry the trace ids of the client's trace, also when nothing is exported", async () => {
  const client = await apid.client();
  await client.call(memory, {
    metadata: [['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01']],
  });
  assert.equal((await nextLine()).trace_id, '0af7651916cd43dd8448eb211c80319c');
});
