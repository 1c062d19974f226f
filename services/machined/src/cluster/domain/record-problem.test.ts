import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import fc from 'fast-check';
import { recordProblem } from './record-problem.ts';
import { nodeRecord } from './testing/node-record.ts';

test('recordProblem() accepts records that a node publishes', () => {
  const records = [
    nodeRecord(2),
    nodeRecord(2, { hostname: 'a', nodename: '', operatingSystem: '', addresses: ['fd00::1', '10.0.0.1'] }),
    nodeRecord(2, { nodeId: '7x1CuRpNsuQpvmG63pWUvRZ8iQGdz1aPbMHcUH4tXYZ', hostname: 'cp-1.lab.example' }),
  ];
  assert.deepEqual(records.map(recordProblem), [undefined, undefined, undefined]);
});

test('recordProblem() names the invalid field of a record', () => {
  const rows: [Partial<NodeRecord>, string][] = [
    [{ nodeId: '' }, '"" is not a valid node id'],
    [{ nodeId: '../other' }, '"../other" is not a valid node id'],
    [{ nodeId: 'a'.repeat(65) }, `"${'a'.repeat(65)}" is not a valid node id`],
    [{ hostname: '' }, '"" is not a valid hostname'],
    [{ hostname: 'a b' }, '"a b" is not a valid hostname'],
    [{ hostname: 'a'.repeat(254) }, `"${'a'.repeat(80)}…" is not a valid hostname`],
    [{ nodename: '-a' }, '"-a" is not a valid nodename'],
    [{ hostname: '10.5.0.2' }, 'the name "10.5.0.2" is read as an IP address'],
    [{ hostname: '127.1' }, 'the name "127.1" is read as an IP address'],
    [{ nodename: '0x7f000001' }, 'the name "0x7f000001" is read as an IP address'],
    [{ operatingSystem: 'a\u001b[31m' }, '"a\\u001b[31m" is not a valid operating system'],
    [{ apiServerPort: 6443 }, 'only a control plane has an API server, not at port 6443 of this node'],
    [{ addresses: [] }, 'the node has no address'],
    [{ addresses: new Array(65).fill('10.0.0.1') }, 'the node has 65 addresses, more than 64'],
    [{ addresses: ['10.0.0.1', 'example.org'] }, '"example.org" is not an address that a node can have'],
    [{ addresses: ['0.0.0.0'] }, '"0.0.0.0" is not an address that a node can have'],
  ];
  assert.deepEqual(
    rows.map(([changes]) => recordProblem(nodeRecord(2, changes))),
    rows.map(([, problem]) => problem),
  );
});

test('recordProblem() rejects ids with characters that change the etcd key, and names with control characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (nodeId, hostname) => {
      if (recordProblem(nodeRecord(2, { nodeId, hostname })) !== undefined) return;
      assert.match(nodeId, /^[0-9A-Za-z]+$/);
      assert.match(hostname, /^[0-9A-Za-z.-]+$/);
    }),
  );
});
