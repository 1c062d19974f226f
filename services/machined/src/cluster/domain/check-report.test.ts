import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { MachineType } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import fc from 'fast-check';
import { canonicalAddress } from './canonical-address.ts';
import { checkReport, maxNodes } from './check-report.ts';
import type { KeptControlPlane } from './node-record-store.ts';
import { controlPlaneRecord, nodeRecord } from './testing/node-record.ts';

const worker = (number: number, changes: Partial<NodeRecord> = {}) =>
  nodeRecord(number, { addresses: [`10.5.0.${number}`], ...changes });
const controlPlane = controlPlaneRecord(2, { addresses: ['10.5.0.2'] });
const known = [controlPlane, worker(3), worker(4)];
const virtual = new Set(['10.5.0.100']);

const verdict = (
  node: NodeRecord | undefined,
  callerAddress: string,
  list: readonly NodeRecord[] = known,
  controlPlanes: readonly KeptControlPlane[] = [],
) => {
  const fault = checkReport({ node, callerAddress, known: list, controlPlanes, virtual });
  return fault === undefined ? 'taken' : `${fault.kind}: ${fault.message}`;
};

test('checkReport() accepts the record of a worker that calls from one of its addresses', () => {
  const verdicts = [
    verdict(worker(5), '10.5.0.5'),
    verdict(worker(5), '::ffff:10.5.0.5'),
    verdict(worker(3), '10.5.0.3'),
    verdict(worker(3, { hostname: 'renamed', nodename: 'renamed' }), '10.5.0.3'),
    verdict(worker(3, { addresses: ['10.5.0.3', 'fd00::3'] }), '10.5.0.3'),
    // A control plane has the same short name, which is resolved to the control plane.
    verdict(worker(5, { hostname: 'node2.zzz', nodename: 'node2' }), '10.5.0.5'),
    // A virtual address moves between nodes.
    verdict(worker(5, { addresses: ['10.5.0.5', '10.5.0.100'] }), '10.5.0.5', [
      ...known,
      worker(6, { addresses: ['10.5.0.6', '10.5.0.100'] }),
    ]),
  ];
  assert.deepEqual(
    verdicts,
    verdicts.map(() => 'taken'),
  );
});

test('checkReport() accepts nodes of one machine, which all call from the same loopback address', () => {
  const here = [nodeRecord(3), controlPlaneRecord(2)];
  const verdicts = [
    verdict(nodeRecord(5), '127.0.0.1', here),
    verdict(nodeRecord(3), '127.0.0.1', here),
    // Every machine has these two, so they belong to nobody.
    verdict(nodeRecord(5, { addresses: ['127.1.0.5', '127.0.0.1', '::1'] }), '::ffff:127.0.0.1', [
      ...here,
      nodeRecord(6, { addresses: ['127.1.0.6', '127.0.0.1', '::1'] }),
    ]),
  ];
  assert.deepEqual(
    verdicts,
    verdicts.map(() => 'taken'),
  );
});

test('checkReport() gives no loopback address of a node to another one, whether that one lives or not', () => {
  const of = (address: string) => nodeRecord(5, { addresses: ['127.1.0.5', address] });
  const absent = { record: controlPlaneRecord(4), memberId: '8e9e05c52164694d' };
  assert.deepEqual(
    [
      verdict(of('127.1.0.2'), '127.0.0.1', [controlPlaneRecord(2)]),
      verdict(of('::ffff:127.1.0.3'), '127.0.0.1', [nodeRecord(3)]),
      verdict(of('127.1.0.4'), '127.0.0.1', [], [absent]).replace(/,.*/, ''),
    ],
    [
      'permission-denied: 127.1.0.2 is an address of node "node2"',
      'permission-denied: 127.1.0.3 is an address of node "node3"',
      'permission-denied: "127.1.0.4" belongs to control plane "node4"',
    ],
  );
});

test('checkReport() rejects what a client that only has the token must not claim', () => {
  const rows: [string, string][] = [
    [verdict(undefined, '10.5.0.5'), 'invalid-argument: the report has no node record'],
    [
      verdict(worker(5, { nodeId: 'a/b' }), '10.5.0.5'),
      'invalid-argument: invalid report: "a/b" is not a valid node id',
    ],
    [
      verdict(worker(5, { machineType: MachineType.MACHINE_TYPE_CONTROL_PLANE }), '10.5.0.5'),
      'permission-denied: only workers report themselves',
    ],
    [
      verdict(worker(5, { machineType: MachineType.MACHINE_TYPE_UNSPECIFIED }), '10.5.0.5'),
      'permission-denied: only workers report themselves',
    ],
    [
      verdict(worker(5, { apiServerPort: 6443 }), '10.5.0.5'),
      'invalid-argument: invalid report: only a control plane has an API server, not at port 6443 of this node',
    ],
    [
      verdict(worker(5), '10.5.0.6'),
      'permission-denied: the report came from 10.5.0.6, which is not an address of the node: 10.5.0.5',
    ],
    [
      verdict(nodeRecord(5), '10.5.0.5'),
      'permission-denied: the report came from 10.5.0.5, which is not an address of the node: 127.1.0.5',
    ],
    [
      verdict(worker(5), '127.0.0.1'),
      'permission-denied: the report came from 127.0.0.1, which is not an address of the node: 10.5.0.5',
    ],
    [
      verdict(worker(5, { addresses: ['10.5.0.5', '127.0.0.1'] }), '10.5.0.5'),
      'permission-denied: 127.0.0.1 is a loopback address, which every machine has',
    ],
    [
      verdict(worker(5, { nodeId: controlPlane.nodeId }), '10.5.0.5'),
      'permission-denied: node id2 is a control plane',
    ],
    [
      verdict(worker(5, { nodeId: 'id3' }), '10.5.0.5'),
      'permission-denied: node id3 is registered at 10.5.0.3, not at 10.5.0.5',
    ],
    [
      verdict(worker(5, { addresses: ['10.5.0.5', '10.5.0.2'] }), '10.5.0.5'),
      'permission-denied: 10.5.0.2 is an address of node "node2"',
    ],
    [
      verdict(worker(5, { addresses: ['10.5.0.5', '10.5.0.3'] }), '10.5.0.5'),
      'permission-denied: 10.5.0.3 is an address of node "node3"',
    ],
    [
      verdict(worker(5, { addresses: ['10.5.0.2'] }), '10.5.0.2'),
      'permission-denied: 10.5.0.2 is an address of node "node2"',
    ],
    [
      verdict(worker(5, { hostname: 'Node2' }), '10.5.0.5'),
      'permission-denied: "node2" is the name of another node, at 10.5.0.2',
    ],
    [
      verdict(worker(5, { hostname: 'x', nodename: 'node3' }), '10.5.0.5'),
      'permission-denied: "node3" is the name of another node, at 10.5.0.3',
    ],
    [
      verdict(worker(5, { hostname: '10.5.0.2', nodename: '' }), '10.5.0.5'),
      'invalid-argument: invalid report: the name "10.5.0.2" is read as an IP address',
    ],
    // The node was created again, and the lease of its old record has not expired.
    [
      verdict(worker(3, { nodeId: 'id9' }), '10.5.0.3'),
      'permission-denied: 10.5.0.3 is an address of node "node3"',
    ],
    [
      verdict(nodeRecord(3, { nodeId: 'id9' }), '127.0.0.1', [nodeRecord(3)]),
      'permission-denied: 127.1.0.3 is an address of node "node3"',
    ],
  ];
  assert.deepEqual(
    rows.map(([actual]) => actual),
    rows.map(([, wanted]) => wanted),
  );
});

test('checkReport() limits the number of nodes in etcd and still accepts known nodes', () => {
  const full = Array.from({ length: maxNodes }, (_, index) =>
    worker(1, {
      nodeId: `n${index}`,
      hostname: `h${index}`,
      nodename: '',
      addresses: [`10.6.${index >> 8}.${index & 255}`],
    }),
  );
  assert.equal(
    verdict(worker(5), '10.5.0.5', full),
    `resource-exhausted: the cluster already has ${maxNodes} nodes`,
  );
  assert.equal(verdict(full[7], '10.6.0.7', full), 'taken');
});

test('checkReport() accepts no report that lets one node be taken for another', () => {
  const few = (...values: string[]) => fc.constantFrom(...values);
  const address = few(
    '10.5.0.2',
    '10.5.0.3',
    '10.5.0.5',
    '::ffff:10.5.0.5',
    'fd00::5',
    '127.0.0.1',
    '0.0.0.0',
  );
  const name = few('node2', 'NODE3', 'node5', 'node6', '');
  // A control plane that lives, and the same one while it does not.
  const alike = [
    { known, controlPlanes: [] },
    { known: known.slice(1), controlPlanes: [{ record: controlPlane, memberId: '1' }] },
  ];
  const node = fc.record({
    nodeId: few('id2', 'id3', 'id5', ''),
    addresses: fc.array(address, { maxLength: 4 }),
    hostname: name,
    nodename: name,
    operatingSystem: few('', 'Talos (v1.14.0)'),
    machineType: fc.constantFrom(3, 3, 3, 2, 99) as fc.Arbitrary<MachineType>,
    apiServerPort: fc.constantFrom(0, 0, 0, 6443, 70_000),
  });
  fc.assert(
    fc.property(node, address, fc.constantFrom(...alike), (record, callerAddress, lists) => {
      if (
        checkReport({
          node: record,
          callerAddress,
          known: lists.known,
          controlPlanes: lists.controlPlanes,
          virtual,
        }) !== undefined
      )
        return;
      const claimed = record.addresses.map(canonicalAddress);
      assert.equal(record.machineType, MachineType.MACHINE_TYPE_WORKER);
      assert.equal(record.apiServerPort, 0);
      assert.ok(claimed.includes(canonicalAddress(callerAddress)));
      assert.notEqual(record.nodeId, controlPlane.nodeId);
      assert.ok(!claimed.includes('10.5.0.2'));
      assert.notEqual(record.hostname.toLowerCase(), 'node2');
      assert.notEqual(record.nodename.toLowerCase(), 'node2');
    }),
    { numRuns: 3000 },
  );
});

test('checkReport() keeps the name and the address of a control plane that does not live, until its member is removed', () => {
  const kept = [{ record: controlPlane, memberId: '8e9e05c52164694d' }];
  const rest = [worker(3)];
  const frees =
    'belongs to control plane "node2", which does not answer at the moment; if it is gone for good,' +
    ' "talosctl etcd remove-member 8e9e05c52164694d" frees its names and addresses';
  const reports: [NodeRecord, string, string][] = [
    [worker(5, { hostname: 'NODE2', nodename: '' }), '10.5.0.5', `permission-denied: "node2" ${frees}`],
    [worker(5, { hostname: 'x', nodename: 'node2' }), '10.5.0.5', `permission-denied: "node2" ${frees}`],
    [worker(5, { addresses: ['10.5.0.2'] }), '10.5.0.2', `permission-denied: "10.5.0.2" ${frees}`],
    [
      worker(5, { nodeId: controlPlane.nodeId, addresses: ['10.5.0.2'] }),
      '10.5.0.2',
      `permission-denied: node id id2 ${frees}`,
    ],
  ];
  assert.equal(
    verdict(worker(5, { nodeId: controlPlane.nodeId }), '10.5.0.5', [controlPlane, ...rest], kept),
    'permission-denied: node id2 is a control plane',
  );
  assert.deepEqual(
    reports.map(([node, caller]) => verdict(node, caller, rest, kept)),
    reports.map(([, , refusal]) => refusal),
  );
  assert.deepEqual(
    reports.map(([node, caller]) => verdict(node, caller, rest, [])),
    reports.map(() => 'taken'),
  );
});
