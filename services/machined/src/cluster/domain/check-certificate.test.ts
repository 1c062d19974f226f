import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withheldNames } from './check-certificate.ts';
import { controlPlaneRecord, nodeRecord } from './testing/node-record.ts';

const controlPlane = controlPlaneRecord(2, {
  addresses: ['10.5.0.2', '10.5.0.100'],
  hostname: 'node02.example.com',
  nodename: 'node02',
});
const worker = nodeRecord(3, { addresses: ['10.5.0.3'], hostname: 'w.a', nodename: 'w' });
const known = [controlPlane, worker];
const virtual = new Set(['10.5.0.100']);

const check = (
  commonName: string,
  dnsNames: string[],
  addresses: string[],
  callerAddress: string,
  list = known,
) => {
  try {
    return withheldNames({ commonName, dnsNames, addresses, callerAddress }, { known: list, virtual });
  } catch (error) {
    return (error as Error).message;
  }
};

test('withheldNames() accepts the own names and addresses of a node, and those that no node has', () => {
  assert.deepEqual(
    [
      check('w.a', ['w', 'w.a'], ['10.5.0.3', '127.0.0.1'], '10.5.0.3'),
      check('new.a', ['new', 'new.a'], ['10.5.0.7', '10.5.0.100', 'fe80::1'], '10.5.0.7'),
      check('localhost', ['localhost'], ['::1'], '10.5.0.7'),
      check('w.a', ['w', 'w.a'], ['10.5.0.3'], '10.5.0.3', []),
    ],
    [[], [], [], []],
  );
});

test('withheldNames() rejects the full name and the address of another node', () => {
  assert.deepEqual(
    [
      check('x', ['Node02.example.com'], [], '10.5.0.7'),
      check('node02.example.com', [], [], '10.5.0.2'),
      check('x', ['x'], ['10.5.0.2'], '10.5.0.7'),
      check('x', ['x'], ['::ffff:10.5.0.3'], '10.5.0.7'),
      check('w.a', ['w.a'], [], '10.5.0.7'),
    ],
    [
      '"node02.example.com" belongs to node "node02.example.com"',
      '"node02.example.com" belongs to node "node02.example.com"',
      '"10.5.0.2" belongs to node "node02.example.com"',
      '"10.5.0.3" belongs to node "w.a"',
      '"w.a" belongs to node "w.a"',
    ],
  );
});

test('withheldNames() withholds a shared short name, except a common name that only workers share', () => {
  assert.deepEqual(
    [
      check('node02.zzz', ['node02', 'node02.zzz'], ['10.5.0.7'], '10.5.0.7'),
      check('node02', ['node02'], ['10.5.0.7'], '10.5.0.7'),
      check('w.b', ['w', 'w.b'], ['10.5.0.7'], '10.5.0.7'),
      check('w', ['w'], ['10.5.0.7'], '10.5.0.7'),
    ],
    [['node02'], ['node02'], ['w'], []],
  );
});

test('withheldNames() treats workers of one machine as one node, but not as a control plane', () => {
  const here = [controlPlaneRecord(2), nodeRecord(3)];
  assert.deepEqual(
    [
      check('node3', ['node3'], ['127.1.0.3'], '127.0.0.1', here),
      check('node2', ['node2'], ['127.1.0.2'], '127.0.0.1', here),
    ],
    [[], '"node2" belongs to node "node2"'],
  );
});
