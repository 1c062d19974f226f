import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { errorTypeOf, rpcAttributes, rpcStatusAttribute, serverAttributes } from './rpc-attributes.ts';

test('rpcAttributes() has the full method, and rpcStatusAttribute() the text of the status', () => {
  assert.deepEqual(
    { ...rpcAttributes('/machine.MachineService/Memory'), ...rpcStatusAttribute(5) },
    {
      'rpc.system.name': 'grpc',
      'rpc.method': 'machine.MachineService/Memory',
      'rpc.status_code': 'NOT_FOUND',
    },
  );
});

test('serverAttributes() reads the targets of gRPC and addresses with a port', () => {
  for (const [target, address, port] of [
    ['unix:/run/machined.sock', '/run/machined.sock', undefined],
    ['unix:///run/machined.sock', '/run/machined.sock', undefined],
    ['dns:node01:50000', 'node01', 50_000],
    ['dns:///node01:50000', 'node01', 50_000],
    ['dns:[fd00::1]:50000', 'fd00::1', 50_000],
    ['https://[fd00::1]:2379', 'fd00::1', 2379],
    ['127.0.0.1:2379', '127.0.0.1', 2379],
    ['docker.io', 'docker.io', undefined],
    ['fd00::1', 'fd00::1', undefined],
  ] as const)
    assert.deepEqual(
      serverAttributes(target),
      { 'server.address': address, ...(port === undefined ? {} : { 'server.port': port }) },
      target,
    );
});

test('serverAttributes() finds the address and the port of every target', () => {
  const hosts = fc.oneof(fc.ipV4(), fc.domain());
  fc.assert(
    fc.property(
      fc.oneof(
        hosts.map((host) => [host, host]),
        fc.ipV6().map((host) => [host, `[${host}]`]),
      ),
      fc.integer({ min: 1, max: 65_535 }),
      fc.constantFrom('', 'dns:', 'dns:///', 'dns://8.8.8.8/', 'https://'),
      ([host, shown], port, scheme) => {
        assert.deepEqual(serverAttributes(`${scheme}${shown}:${port}`), {
          'server.address': host,
          'server.port': port,
        });
      },
    ),
  );
});

test('errorTypeOf() has few values: the status of a fault, the code of a system error, or a class', () => {
  const system = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
  assert.deepEqual(
    [new Fault('out-of-range', 'x'), system, new TypeError('x'), 'x', undefined].map(errorTypeOf),
    ['OUT_OF_RANGE', 'ECONNRESET', 'TypeError', '_OTHER', '_OTHER'],
  );
});
