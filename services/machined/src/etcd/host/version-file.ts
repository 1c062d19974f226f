// The version of etcd's data. etcd itself records it only from 3.6 on, and there only once its cluster has
// agreed on a version; so machined writes it into a file beside the data folder before etcd creates data.
import { readFile } from 'node:fs/promises';
import { faultFrom } from '@nodewright/fault';
import { writeFileAtomically } from '@nodewright/files';
import { type EtcdVersion, etcdVersionText, parseEtcdVersion } from '../domain/etcd-version.ts';

/** The recorded version; `undefined` when there is none. @throws Fault when the file cannot be read */
export async function readVersionFile(path: string): Promise<EtcdVersion | undefined> {
  try {
    return parseEtcdVersion(await readFile(path, 'utf8'));
  } catch (error) {
    const fault = faultFrom(error);
    if (fault.kind === 'not-found') return undefined;
    throw fault;
  }
}

export async function writeVersionFile(path: string, version: EtcdVersion): Promise<void> {
  await writeFileAtomically(path, `${etcdVersionText(version)}\n`);
}
