import { createHash } from 'node:crypto';
import { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import { compareByBytes } from '@nodewright/state';
import { type AffiliateSpec, kubeSpanAffiliateSpec } from '@nodewright/state/kinds';
import { controlPlanePrefix } from '../../base/domain/control-plane-key.ts';
import { isControlPlaneName } from '../../base/domain/control-plane-name.ts';
import { isControlPlaneType, machineTypeMessage, machineTypeName } from './machine-type-message.ts';
import type { KeptControlPlane } from './node-record-store.ts';

/** The prefix of the records' keys in etcd; the id of the node follows. */
export const recordPrefix = 'nodewright:v1:nodes/';

/** The record that a node publishes about itself. */
export function recordFromAffiliate(affiliate: AffiliateSpec): NodeRecord {
  const { nodeId, addresses, hostname, nodename, operatingSystem, machineType, controlPlane } = affiliate;
  return {
    ...{ nodeId, hostname, nodename, operatingSystem },
    addresses: [...addresses],
    machineType: machineTypeMessage(machineType),
    apiServerPort: (isControlPlaneName(machineType) && controlPlane?.port) || 0,
  };
}

/** The affiliate that a record describes. */
export function affiliateFromRecord(record: NodeRecord): AffiliateSpec {
  const { nodeId, addresses, hostname, nodename, operatingSystem, machineType, apiServerPort } = record;
  return {
    ...{ nodeId, hostname, nodename, operatingSystem },
    addresses: [...addresses],
    machineType: machineTypeName(machineType),
    kubespan: kubeSpanAffiliateSpec.empty,
    controlPlane:
      apiServerPort !== 0 && isControlPlaneType(machineType) ? { port: apiServerPort } : undefined,
  };
}

/** Encodes a record for etcd as JSON, so that people can read it there. The same record always has the same text. */
export const recordText = (record: NodeRecord): string => JSON.stringify(NodeRecord.toJSON(record));

/** Decodes a record of etcd. @throws Fault `data-loss` when the value is not a record of the node that the key names */
export function recordFromText(key: string, text: string): NodeRecord {
  let record: NodeRecord;
  try {
    record = NodeRecord.fromJSON(JSON.parse(text));
  } catch (error) {
    throw new Fault('data-loss', `the value of "${key}" is not a node record: invalid JSON`, {
      cause: error,
    });
  }
  if (key === recordPrefix + record.nodeId) return record;
  throw new Fault('data-loss', `the value of "${key}" is a record of node "${record.nodeId}"`);
}

/** Decodes what a control plane keeps in etcd. @throws Fault `data-loss` when the value is not the record of a control plane */
export function keptControlPlane(key: string, text: string): KeptControlPlane {
  const memberId = key.slice(controlPlanePrefix.length);
  try {
    const record = NodeRecord.fromJSON(JSON.parse(text));
    if (isControlPlaneType(record.machineType) && record.nodeId !== '') return { record, memberId };
  } catch (error) {
    throw new Fault('data-loss', `the value of "${key}" is not a node record: invalid JSON`, {
      cause: error,
    });
  }
  throw new Fault('data-loss', `the value of "${key}" is not the record of a control plane`);
}

/** Identifies the content of a list of records: the same on every node, for any order of the records. */
export function listVersion(records: readonly NodeRecord[]): string {
  const hash = createHash('sha256');
  for (const text of records.map(recordText).sort(compareByBytes)) hash.update(`${text}\n`);
  return hash.digest('base64url').slice(0, 22);
}
