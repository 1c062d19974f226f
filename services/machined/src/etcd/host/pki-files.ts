import { join } from 'node:path';
import type { FileOwner } from '@nodewright/files';
import { prepareFolder } from '../../base/host/prepare-folder.ts';
import { writeIfChanged } from '../../base/host/write-if-changed.ts';

interface PemPair {
  readonly crt: string;
  readonly key: string;
}

/** The certificates of etcd by file name. */
export type EtcdPki = Readonly<Record<'ca' | 'server' | 'peer' | 'admin', PemPair>>;

export interface EtcdPkiFiles {
  /** Writes the files that differ; unchanged files are not rewritten. */
  write(pki: EtcdPki): Promise<void>;
}

const folderMode = 0o700;
const fileMode = 0o400;

/**
 * Writes `ca.crt`, `ca.key`, `server.crt` and so on to `folder`, readable only by `owner`.
 * Source: Talos v1.14: etcd PKI.
 */
export function createEtcdPkiFiles(folder: string, owner: FileOwner | undefined): EtcdPkiFiles {
  return {
    async write(pki) {
      await prepareFolder({ path: folder, mode: folderMode, owner });
      for (const [name, { crt, key }] of Object.entries(pki)) {
        // etcd reads both files for each connection. A connection between the two writes may fail; the peer
        // reconnects.
        await writeIfChanged(join(folder, `${name}.key`), key, { mode: fileMode, owner });
        await writeIfChanged(join(folder, `${name}.crt`), crt, { mode: fileMode, owner });
      }
    },
  };
}
