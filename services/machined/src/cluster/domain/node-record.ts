import { createHash } from 'node:crypto';
import { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import { compareByBytes } from '@nodewright/state';
import { type AffiliateSpec, kubeSpanAffiliateSpec } from '@nodewright/state/kinds';
import { machineTypeMessage, machineTypeName } from './machine-type-message.ts';

/** Where in etcd the records of the nodes are, each under the id of its node. */
export const recordPrefix = 'nodewright:v1:nodes/';

/** What a node tells the others of itself. */
export function recordFromAffiliate(affiliate: AffiliateSpec): NodeRecord {
  const { nodeId, addresses, hostname, nodename, operatingSystem, machineType, controlPlane } = affiliate;
  return {
    ...{ nodeId, hostname, nodename, operatingSystem },
    addresses: [...addresses],
    machineType: machineTypeMessage(machineType),
    apiServerPort: controlPlane?.port ?? 0,
  };
}

/** A node as a record tells of it. */
export function affiliateFromRecord(record: NodeRecord): AffiliateSpec {
  const { nodeId, addresses, hostname, nodename, operatingSystem, machineType, apiServerPort } = record;
  return {
    ...{ nodeId, hostname, nodename, operatingSystem },
    addresses: [...addresses],
    machineType: machineTypeName(machineType),
    kubespan: kubeSpanAffiliateSpec.empty,
    controlPlane: apiServerPort === 0 ? undefined : { port: apiServerPort },
  };
}

/** The text of a record in etcd: JSON, so that people can read it there. The same record always has the same text. */
export const recordText = (record: NodeRecord): string => JSON.stringify(NodeRecord.toJSON(record));

/** @throws Fault `data-loss` when the value under a key of the prefix is no record of the node that the key names */
export function recordFromText(key: string, text: string): NodeRecord {
  let record: NodeRecord;
  try {
    record = NodeRecord.fromJSON(JSON.parse(text));
  } catch (error) {
    throw new Fault('data-loss', `the value of "${key}" is no node record: not JSON`, { cause: error });
  }
  if (key === recordPrefix + record.nodeId) return record;
  throw new Fault('data-loss', `the value of "${key}" is a record of node "${record.nodeId}"`);
}

/** The same for the same records, in whatever order, whoever asks. */
export function listVersion(records: readonly NodeRecord[]): string {
  const hash = createHash('sha256');
  for (const text of records.map(recordText).sort(compareByBytes)) hash.update(`${text}\n`);
  return hash.digest('base64url').slice(0, 22);
}
