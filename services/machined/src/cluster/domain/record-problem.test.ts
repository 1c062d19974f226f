import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import fc from 'fast-check';
import { recordProblem } from './record-problem.ts';
import { nodeRecord } from './testing/node-record.ts';

test('recordProblem() finds none in what a node tells of itself', () => {
  const records = [
    nodeRecord(2),
    nodeRecord(2, { hostname: 'a', nodename: '', operatingSystem: '', addresses: ['fd00::1', '10.0.0.1'] }),
    nodeRecord(2, { nodeId: '7x1CuRpNsuQpvmG63pWUvRZ8iQGdz1aPbMHcUH4tXYZ', hostname: 'cp-1.lab.example' }),
  ];
  assert.deepEqual(records.map(recordProblem), [undefined, undefined, undefined]);
});

test('recordProblem() names what no node tells of itself', () => {
  const rows: [Partial<NodeRecord>, string][] = [
    [{ nodeId: '' }, 'the node id "" is none'],
    [{ nodeId: '../other' }, 'the node id "../other" is none'],
    [{ nodeId: 'a'.repeat(65) }, `the node id "${'a'.repeat(65)}" is none`],
    [{ hostname: '' }, 'the hostname "" is none'],
    [{ hostname: 'a b' }, 'the hostname "a b" is none'],
    [{ hostname: 'a'.repeat(254) }, `the hostname "${'a'.repeat(80)}…" is none`],
    [{ nodename: '-a' }, 'the nodename "-a" is none'],
    [{ hostname: '10.5.0.2' }, 'the name "10.5.0.2" reads as an IP address'],
    [{ hostname: '127.1' }, 'the name "127.1" reads as an IP address'],
    [{ nodename: '0x7f000001' }, 'the name "0x7f000001" reads as an IP address'],
    [{ operatingSystem: 'a\u001b[31m' }, 'the operating system "a\\u001b[31m" is none'],
    [{ apiServerPort: 65_536 }, 'the port 65536 of the API server is none'],
    [{ addresses: [] }, 'it has no address'],
    [{ addresses: new Array(65).fill('10.0.0.1') }, 'it has 65 addresses, more than 64'],
    [{ addresses: ['10.0.0.1', 'example.org'] }, '"example.org" is no address of a node'],
    [{ addresses: ['0.0.0.0'] }, '"0.0.0.0" is no address of a node'],
  ];
  assert.deepEqual(
    rows.map(([changes]) => recordProblem(nodeRecord(2, changes))),
    rows.map(([, problem]) => problem),
  );
});

test('recordProblem() takes no id that would be another key of etcd, and no name with a character that terminals obey', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (nodeId, hostname) => {
      if (recordProblem(nodeRecord(2, { nodeId, hostname })) !== undefined) return;
      assert.match(nodeId, /^[0-9A-Za-z]+$/);
      assert.match(hostname, /^[0-9A-Za-z.-]+$/);
    }),
  );
});
