import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metadataKeys } from '@nodewright/contract';
import { type RewriteInit, rewriteMetadata } from './rewrite-metadata.ts';

const incoming = [
  [':method', 'POST'],
  [':path', '/machine.MachineService/Memory'],
  [':scheme', 'https'],
  [':authority', '10.5.0.2:50000'],
  ['content-type', 'application/grpc+proto'],
  ['user-agent', 'grpc-go/1.83.0'],
  ['te', 'trailers'],
  ['grpc-timeout', '20S'],
  ['grpc-encoding', 'gzip'],
  ['grpc-accept-encoding', 'gzip'],
  ['content-length', '12'],
  ['host', 'elsewhere'],
  ['grpc-status', '0'],
  ['node', 'node02'],
  ['nodes', 'node03'],
  ['nodes', 'node04'],
  ['runtime', 'Talos'],
  ['talos-role', 'os:admin'],
  ['x-many', '2'],
  ['x-many', '1'],
  ['x-bin', 'AAE'],
  ['traceparent', 'client'],
].flat();

const init: RewriteInit = {
  incoming,
  hop: { kind: 'machined' },
  fullMethod: '/machine.MachineService/Memory',
  authority: '10.5.0.2:50000',
  roles: ['os:operator', 'os:reader'],
  caller: undefined,
  address: undefined,
  timeout: '19500m',
  traceparent: undefined,
  userAgent: 'apid/test',
  port: 50_000,
  compressedAnswers: true,
};

/** Header fields with their values, in order. */
function fields(headers: readonly string[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    found[name] = [...(found[name] ?? []), headers[index + 1] ?? ''];
  }
  return found;
}

test('rewriteMetadata() sends machined all metadata, with the roles that apid determined', () => {
  assert.deepEqual(fields(rewriteMetadata(init)), {
    ':method': ['POST'],
    ':scheme': ['http'],
    ':authority': ['localhost'],
    ':path': ['/machine.MachineService/Memory'],
    te: ['trailers'],
    'user-agent': ['apid/test'],
    'grpc-timeout': ['19500m'],
    'content-type': ['application/grpc+proto'],
    'grpc-encoding': ['gzip'],
    'grpc-accept-encoding': ['gzip'],
    node: ['node02'],
    nodes: ['node03', 'node04'],
    runtime: ['Talos'],
    'x-many': ['2', '1'],
    'x-bin': ['AAE'],
    traceparent: ['client'],
    'talos-role': ['os:operator', 'os:reader'],
  });
});

test('rewriteMetadata() sends another apid the original authority and removes the targets', () => {
  const headers = fields(rewriteMetadata({ ...init, hop: { kind: 'node', name: 'node02' } }));
  assert.deepEqual(
    [headers[':authority'], headers[':scheme'], headers.proxyfrom, headers.node, headers.nodes],
    [['node02:50000'], ['https'], ['10.5.0.2:50000'], undefined, undefined],
  );
});

test('rewriteMetadata() sends "unknown" for a missing authority and puts IPv6 addresses in brackets', () => {
  const hop = { kind: 'node', name: 'fd00::2' } as const;
  const headers = fields(rewriteMetadata({ ...init, hop, authority: '' }));
  assert.deepEqual([headers[':authority'], headers.proxyfrom], [['[fd00::2]:50000'], ['unknown']]);
});

test("rewriteMetadata() drops the client's roles when the caller has none", () => {
  assert.equal(fields(rewriteMetadata({ ...init, roles: [] }))['talos-role'], undefined);
});

test('rewriteMetadata() never passes a name of a caller on that the client has sent', () => {
  const forged = [...incoming, metadataKeys.caller, 'somebody else'];
  const sent = (hop: RewriteInit['hop'], caller: string | undefined) =>
    fields(rewriteMetadata({ ...init, incoming: forged, hop, caller }))[metadataKeys.caller] ?? [];
  for (const hop of [{ kind: 'machined' }, { kind: 'node', name: 'node02' }] as const) {
    for (const caller of [undefined, 'us']) assert.ok(!sent(hop, caller).includes('somebody else'));
  }
  assert.deepEqual(sent({ kind: 'node', name: 'node02' }, 'us'), ['us']);
});

test('rewriteMetadata() names the caller to machined for reads of resources alone', () => {
  const sent = (fullMethod: string) =>
    fields(rewriteMetadata({ ...init, fullMethod, caller: 'us' }))[metadataKeys.caller];
  assert.deepEqual(
    ['/cosi.resource.State/Get', '/cosi.resource.State/Update', '/machine.MachineService/Memory'].map(sent),
    [['us'], undefined, undefined],
  );
});

test('rewriteMetadata() replaces the incoming span with the outgoing one', () => {
  assert.deepEqual(fields(rewriteMetadata({ ...init, traceparent: 'ours' })).traceparent, ['ours']);
});

test('rewriteMetadata() requests uncompressed responses when apid edits them', () => {
  const headers = fields(rewriteMetadata({ ...init, compressedAnswers: false }));
  assert.deepEqual([headers['grpc-accept-encoding'], headers['grpc-encoding']], [undefined, ['gzip']]);
});

test('rewriteMetadata() gives machined alone the address of a caller without a certificate, never what a client wrote', () => {
  const forged = [...incoming, metadataKeys.address, '192.0.2.1'];
  const addressesOf = (more: Partial<RewriteInit>) =>
    fields(rewriteMetadata({ ...init, incoming: forged, ...more }))[metadataKeys.address];
  assert.deepEqual(
    [
      addressesOf({ address: '10.5.0.9' }),
      addressesOf({}),
      addressesOf({ address: '10.5.0.9', hop: { kind: 'node', name: 'node02' } }),
    ],
    [['10.5.0.9'], undefined, undefined],
  );
});
