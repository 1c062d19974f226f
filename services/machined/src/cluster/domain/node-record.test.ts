import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MachineType } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { kubeSpanAffiliateSpec, type MachineTypeName } from '@nodewright/state/kinds';
import { machineTypeMessage, machineTypeName } from './machine-type-message.ts';
import {
  affiliateFromRecord,
  listVersion,
  recordFromAffiliate,
  recordFromText,
  recordText,
} from './node-record.ts';
import { controlPlaneRecord, nodeRecord } from './testing/node-record.ts';

test('a record holds the fields of an affiliate and converts back to it', () => {
  const affiliate = {
    nodeId: 'id1',
    addresses: ['10.5.0.2', 'fd00::2'],
    hostname: 'alpha.lab.example',
    nodename: 'alpha',
    operatingSystem: 'Talos (v1.14.0)',
    machineType: 'controlplane' as const,
    kubespan: kubeSpanAffiliateSpec.empty,
    controlPlane: { port: 6443 },
  };
  const record = recordFromAffiliate(affiliate);
  assert.deepEqual(affiliateFromRecord(record), affiliate);
  const text = recordText(record);
  assert.deepEqual(recordFromText('nodewright:v1:nodes/id1', text), record);
  assert.equal(
    text,
    '{"nodeId":"id1","addresses":["10.5.0.2","fd00::2"],"hostname":"alpha.lab.example","nodename":"alpha",' +
      '"operatingSystem":"Talos (v1.14.0)","machineType":"MACHINE_TYPE_CONTROL_PLANE","apiServerPort":6443}',
  );
});

test('a worker has no API server, whatever its record or its affiliate says', () => {
  const record = nodeRecord(5, { apiServerPort: 6443 });
  const affiliate = affiliateFromRecord(record);
  assert.equal(affiliate.controlPlane, undefined);
  assert.equal(recordFromAffiliate({ ...affiliate, controlPlane: { port: 6443 } }).apiServerPort, 0);
});

test('every machine type has a value on the wire, and other values are unknown', () => {
  const names: MachineTypeName[] = ['unknown', 'init', 'controlplane', 'worker'];
  assert.deepEqual(names.map(machineTypeMessage).map(machineTypeName), names);
  assert.equal(machineTypeName(99 as MachineType), 'unknown');
});

test('recordFromText() rejects a text that is not a record of the node in the key', () => {
  const key = 'nodewright:v1:nodes/id1';
  for (const [text, message] of [
    ['{', /"nodewright:v1:nodes\/id1" is not a node record/],
    ['[]', /is a record of node ""/],
    [recordText(nodeRecord(2)), /is a record of node "id2"/],
  ] as const) {
    assert.throws(() => recordFromText(key, text), { kind: 'data-loss', message });
  }
});

test('listVersion() depends on the content of the records and not on their order', () => {
  const [one, two] = [nodeRecord(1), controlPlaneRecord(2)];
  assert.equal(listVersion([one, two]), listVersion([two, one]));
  const others = [[], [one], [one, nodeRecord(2)], [one, { ...two, hostname: 'alpha' }]];
  const versions = [listVersion([one, two]), ...others.map(listVersion)];
  assert.equal(new Set(versions).size, versions.length);
  assert.equal(versions.includes(''), false);
});
