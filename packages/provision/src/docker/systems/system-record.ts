import { readFileSync } from 'node:fs';
import { isSlot } from '@nodewright/boot';
import { Fault } from '@nodewright/fault';
import type { ClusterFolder } from '../../cluster/cluster-folder.ts';
import { writePrivateFile } from '../../cluster/write-private-file.ts';
import { createdSystem, type KeptSystem, type SystemRecord } from '../../domain/plan-node-system.ts';

type Place = Pick<ClusterFolder, 'nodeSystems' | 'trustedCertificates'>;

/**
 * What the keeper has stored about the systems of a node. A node that was never upgraded has the image that its cluster was created with.
 *
 * @throws Fault `data-loss` for a record that the keeper has not written
 */
export function readSystemRecord(folder: Place, node: string): SystemRecord {
  const text = readIfThere(folder.nodeSystems(node));
  if (text === undefined) {
    const created = {
      id: createdSystem,
      certificates: certificatesIn(readIfThere(folder.trustedCertificates)),
    };
    return { slots: { A: created }, default: 'A' };
  }
  const record = jsonFrom(text) as Partial<SystemRecord> | undefined;
  const isValid =
    record?.slots !== undefined &&
    isSlot(String(record.default)) &&
    Object.values(record.slots).every(isSystem) &&
    record.slots[record.default as 'A'] !== undefined;
  if (!isValid)
    throw new Fault(
      'data-loss',
      `${folder.nodeSystems(node)} is damaged: remove the file, and the node starts with the image that it has`,
    );
  return record as SystemRecord;
}

export const writeSystemRecord = (folder: Place, node: string, record: SystemRecord): Promise<void> =>
  writePrivateFile(folder.nodeSystems(node), `${JSON.stringify(record, undefined, 2)}\n`);

const certificateForm = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;
const certificatesIn = (text = ''): readonly string[] => text.match(certificateForm) ?? [];

const isSystem = (system: unknown): system is KeptSystem => {
  const { id, certificates } = (system ?? {}) as Partial<KeptSystem>;
  return typeof id === 'string' && Array.isArray(certificates);
};

function jsonFrom(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
