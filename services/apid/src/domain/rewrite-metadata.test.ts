import assert from 'node:assert/strict';
import { test } from 'node:test';
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
  timeout: '19500m',
  traceparent: undefined,
  userAgent: 'apid/test',
  port: 50_000,
  compressedAnswers: true,
};

/** Fields with their values, in order. */
function fields(headers: readonly string[]): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    found[name] = [...(found[name] ?? []), headers[index + 1] ?? ''];
  }
  return found;
}

test('rewriteMetadata() hands machined all metadata, with the roles that apid found', () => {
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

test('rewriteMetadata() tells another apid where the call came in, and takes the targets out', () => {
  const headers = fields(rewriteMetadata({ ...init, hop: { kind: 'node', name: 'node02' } }));
  assert.deepEqual(
    [headers[':authority'], headers[':scheme'], headers.proxyfrom, headers.node, headers.nodes],
    [['node02:50000'], ['https'], ['10.5.0.2:50000'], undefined, undefined],
  );
});

test('rewriteMetadata() writes an unknown authority as such and brackets IPv6', () => {
  const hop = { kind: 'node', name: 'fd00::2' } as const;
  const headers = fields(rewriteMetadata({ ...init, hop, authority: '' }));
  assert.deepEqual([headers[':authority'], headers.proxyfrom], [['[fd00::2]:50000'], ['unknown']]);
});

test("rewriteMetadata() leaves no role of the client's when the caller has none", () => {
  assert.equal(fields(rewriteMetadata({ ...init, roles: [] }))['talos-role'], undefined);
});

test('rewriteMetadata() puts the outgoing span in place of the incoming one', () => {
  assert.deepEqual(fields(rewriteMetadata({ ...init, traceparent: 'ours' })).traceparent, ['ours']);
});

test('rewriteMetadata() asks for plain answers where apid edits them', () => {
  const headers = fields(rewriteMetadata({ ...init, compressedAnswers: false }));
  assert.deepEqual([headers['grpc-accept-encoding'], headers['grpc-encoding']], [undefined, ['gzip']]);
});
