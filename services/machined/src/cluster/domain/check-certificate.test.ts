import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { withheldFrom } from './check-certificate.ts';
import type { KeptControlPlane } from './node-record-store.ts';
import { reservedFrom } from './reserved-names.ts';
import { controlPlaneRecord, nodeRecord } from './testing/node-record.ts';

const controlPlane = controlPlaneRecord(2, {
  addresses: ['10.5.0.2'],
  hostname: 'node02.example.com',
  nodename: 'node02',
});
const worker = nodeRecord(3, { addresses: ['10.5.0.3'], hostname: 'w.a', nodename: 'w' });
const known = [controlPlane, worker];
const reserved = reservedFrom({
  endpoints: [{ addresses: [], hosts: ['API.example.com'] }],
  certSans: {
    certSANDNSNames: ['balancer.example.com', 'localhost', '*.Wild.example.com.'],
    certSANIPs: ['10.5.0.99', '127.0.0.1'],
  },
  virtual: new Set(['10.5.0.100']),
});

/** What is left out, or why the request is refused. */
const check = (
  commonName: string,
  dnsNames: string[],
  addresses: string[],
  callerAddress: string,
  list: readonly NodeRecord[] = known,
  controlPlanes: readonly KeptControlPlane[] = [],
) => {
  try {
    const { withheldNames, withheldAddresses } = withheldFrom(
      { commonName, dnsNames, addresses, callerAddress },
      { known: list, controlPlanes, reserved },
    );
    return [...withheldNames, ...withheldAddresses];
  } catch (error) {
    return (error as Error).message;
  }
};

test('withheldFrom() accepts the own names and addresses of a node, and those that no node has', () => {
  assert.deepEqual(
    [
      check('w.a', ['w', 'w.a'], ['10.5.0.3', '127.0.0.1'], '10.5.0.3'),
      check('new.a', ['new', 'new.a'], ['10.5.0.7', 'fe80::1'], '10.5.0.7'),
      check('localhost', ['localhost'], ['::1'], '10.5.0.7'),
      check('w.a', ['w', 'w.a'], ['10.5.0.3'], '10.5.0.3', []),
      check('', ['new'], [], '10.5.0.7'),
    ],
    [[], [], [], [], []],
  );
});

test('withheldFrom() refuses a common name of another node or of the control planes, however it is written', () => {
  const rows: [string, string, string][] = [
    ['Node02.Example.com', '10.5.0.7', '"Node02.Example.com" belongs to node "node02.example.com"'],
    ['node02.example.com.', '10.5.0.2', '"node02.example.com." belongs to node "node02.example.com"'],
    ['node02', '10.5.0.7', '"node02" belongs to node "node02.example.com"'],
    ['node02.', '10.5.0.7', '"node02." belongs to node "node02.example.com"'],
    ['w.a', '10.5.0.7', '"w.a" belongs to node "w.a"'],
    ...['api.example.com', 'balancer.EXAMPLE.com.', 'a.wild.example.com'].map(
      (name): [string, string, string] => [
        name,
        '10.5.0.7',
        `"${name}" leads to the control planes: it is their endpoint, in their certSANs or the name of one`,
      ],
    ),
  ];
  assert.deepEqual(
    rows.map(([name, caller]) => check(name, ['x'], [], caller)),
    rows.map(([, , refusal]) => refusal),
  );
});

test('withheldFrom() leaves out names and addresses of others, so that a node with several still joins', () => {
  assert.deepEqual(
    [
      check('x', ['x', 'Node02.example.com.', 'w.a'], [], '10.5.0.7'),
      check('x', ['x'], ['10.5.0.7', '10.5.0.2'], '10.5.0.7'),
      check('x', ['x'], ['::ffff:10.5.0.3', '10.5.0.7'], '10.5.0.7'),
      check('x', ['x', 'api.example.com', 'balancer.example.com.'], [], '10.5.0.7'),
      check('x', ['x'], ['10.5.0.99', '10.5.0.100', '127.0.0.1'], '10.5.0.7'),
    ],
    [
      ['Node02.example.com.', 'w.a'],
      ['10.5.0.2'],
      ['::ffff:10.5.0.3'],
      ['api.example.com', 'balancer.example.com.'],
      ['10.5.0.99', '10.5.0.100'],
    ],
  );
});

test('withheldFrom() leaves out every name with one label in the place of a wildcard of the certSANs', () => {
  const names = ['a.wild.example.com', 'A.wild.EXAMPLE.com.', 'wild.example.com', 'b.a.wild.example.com'];
  assert.deepEqual(check('x', names, [], '10.5.0.7'), ['a.wild.example.com', 'A.wild.EXAMPLE.com.']);
});

test('withheldFrom() withholds a shared short name, except a common name that only workers share', () => {
  assert.deepEqual(
    [
      check('node02.zzz', ['node02', 'node02.zzz'], ['10.5.0.7'], '10.5.0.7'),
      check('w.b', ['w', 'w.b'], ['10.5.0.7'], '10.5.0.7'),
      check('w', ['w'], ['10.5.0.7'], '10.5.0.7'),
    ],
    [['node02'], ['w'], []],
  );
});

test('withheldFrom() treats workers of one machine as one node, but not as a control plane', () => {
  const here = [controlPlaneRecord(2), nodeRecord(3)];
  assert.deepEqual(
    [
      check('node3', ['node3'], ['127.1.0.3', '127.0.0.1'], '127.0.0.1', here),
      check('node3', ['node3'], ['127.1.0.2', '127.0.0.1'], '127.0.0.1', here),
      check('node2', ['node2'], ['127.1.0.3'], '127.0.0.1', here),
      check('x', ['x'], ['127.1.0.2', '127.1.0.3', '127.0.0.1', '::1'], '10.5.0.7', here),
    ],
    [[], ['127.1.0.2'], '"node2" belongs to node "node2"', ['127.1.0.2', '127.1.0.3']],
  );
});

test('withheldFrom() treats a control plane that does not live as one that does, and says what frees its name', () => {
  const absent = [{ record: controlPlane, memberId: '8e9e05c52164694d' }];
  const ask = (commonName: string, dnsNames: string[], addresses: string[]) =>
    check(commonName, dnsNames, addresses, '10.5.0.2', [worker], absent);
  const frees =
    'belongs to control plane "node02.example.com", which does not answer at the moment; if it is gone for good,' +
    ' "talosctl etcd remove-member 8e9e05c52164694d" frees its names and addresses';
  assert.deepEqual(
    [
      ask('node02.example.com', [], []),
      ask('NODE02.', [], []),
      ask('x', ['x', 'node02', 'node02.example.com.'], ['10.5.0.7', '::ffff:10.5.0.2']),
    ],
    [
      `"node02.example.com" ${frees}`,
      `"NODE02." ${frees}`,
      ['node02', 'node02.example.com.', '::ffff:10.5.0.2'],
    ],
  );
});
