// The programs of a cluster of processes lie in the folder of its build, which the next build overwrites. Before a node is upgraded for the
// first time, slot A gets a copy of those that it runs: they are the way back.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { System } from '@nodewright/boot';
import { Fault } from '@nodewright/fault';
import { type ArtefactFile, neededFiles } from '@nodewright/installer';
import { placedProcessFiles } from '../domain/process-slot.ts';
import type { LoaderReplacement } from './loader-replacement.ts';
import type { PartitionFiles } from './partition-files.ts';
import type { SlotWriter } from './slot-writer.ts';

export interface RunningProgramsInit {
  /** The folder with the bundles that run. */
  readonly servicesFolder: string;
  /** Whether slot A has them. */
  readonly isKept: () => boolean;
  readonly writer: SlotWriter;
  /** Writes the certificates that the running system trusts into the slot. */
  readonly writeCertificates: (files: PartitionFiles, slot: 'A') => Promise<void>;
  /** Called when slot A has them. */
  readonly onKept: (system: System) => void;
}

/** More than bundles have. A folder with more is not one of bundles. */
const mostBytes = 256 << 20;
const mostFiles = 1000;

/** Keeps the running programs in slot A, in place of the replacement of a boot loader: it happens once, before anything else is written. */
export function keepRunningPrograms(init: RunningProgramsInit): LoaderReplacement {
  const { servicesFolder, isKept, writer, writeCertificates, onKept } = init;
  return {
    notice: 'the programs that run are copied into slot A: they are the way back',
    isOld: async () => !isKept(),
    async replace() {
      if (isKept()) return;
      const found = await bundleFiles(servicesFolder);
      const files = placedProcessFiles('A', [...found.keys()], { hasEtcd: false, hasKubernetes: false });
      const rootHash = createHash('sha256')
        .update(files.map(({ sha256, place }) => `${sha256}  ${place}\n`).join(''))
        .digest('hex');
      await writer.empty('A');
      try {
        await writer.fill('A', {
          ...{ rootHash, files },
          async read(sink, isWanted) {
            for (const [file, path] of found)
              if (isWanted(file)) await sink.write(file, createReadStream(path) as AsyncIterable<Uint8Array>);
          },
          writeMore: (on) => writeCertificates(on, 'A'),
        });
        await writer.complete('A');
      } catch (error) {
        await writer.empty('A').catch(() => {});
        throw error;
      }
      onKept({ slot: 'A', rootHash });
    },
  };
}

/** The bundles as files of an artefact, with their paths. @throws Fault `failed-precondition` when one is missing, or there is too much */
async function bundleFiles(folder: string): Promise<ReadonlyMap<ArtefactFile, string>> {
  const found = new Map<ArtefactFile, string>();
  let left = mostBytes;
  for (const needed of neededFiles.process) {
    const [, , name = ''] = needed.split('/');
    const names = await readdir(join(folder, name), { recursive: true }).catch(() => []);
    for (const below of names.toSorted()) {
      const path = join(folder, name, below);
      const { size } = await stat(path).then((one) => (one.isFile() ? one : { size: -1 }));
      if (size < 0) continue;
      left -= size;
      if (left < 0 || found.size >= mostFiles)
        throw new Fault('failed-precondition', `${folder} has more than bundles`);
      const sha256 = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
      found.set({ path: `process/bundles/${name}/${below}`, sizeBytes: size, sha256 }, path);
    }
    if (![...found.keys()].some(({ path }) => path === needed))
      throw new Fault('failed-precondition', `the programs that run are incomplete: ${folder} lacks ${name}`);
  }
  return found;
}
