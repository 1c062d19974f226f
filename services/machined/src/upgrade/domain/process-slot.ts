// What a slot of a node of processes has: the bundles of its daemons, and the programs that it runs besides.
import { type Slot, slotFolderFiles } from '@nodewright/boot';
import { Fault } from '@nodewright/fault';
import type { ArtefactFile } from '@nodewright/installer';
import type { PlacedFile } from './slot-plan.ts';

/** Programs that only some nodes run. */
export interface ProcessPrograms {
  readonly hasEtcd: boolean;
  readonly hasKubernetes: boolean;
}

const programMode = 0o700;
const bundlesInArtefact = 'process/bundles/';

/** The files of an artefact that a node of processes takes, with their places below the folder of the slots. */
export function placedProcessFiles(
  slot: Slot,
  offered: readonly ArtefactFile[],
  { hasEtcd, hasKubernetes }: ProcessPrograms,
): readonly PlacedFile[] {
  const folders = [
    { from: bundlesInArtefact, to: slotFolderFiles.bundles },
    ...(hasEtcd ? [{ from: 'process/etcd/', to: slotFolderFiles.etcd, mode: programMode }] : []),
    ...(hasKubernetes
      ? [{ from: 'process/kubernetes/', to: slotFolderFiles.kubernetes, mode: programMode }]
      : []),
  ];
  return offered.flatMap((file) => {
    const folder = folders.find(({ from }) => file.path.startsWith(from));
    if (folder === undefined) return [];
    const { from, to, ...mode } = folder;
    const place = `${slot}/${to}/${file.path.slice(from.length)}`;
    return [{ ...file, ...mode, partition: 'BOOT', place } as const];
  });
}

/** The list that makes a slot complete: a line with digest and path for each of its files. @throws Fault `failed-precondition` */
export function processDigests(slot: Slot, files: readonly PlacedFile[]): string {
  const lines = files.map(({ sha256, place }) => `${sha256}  ${place.slice(slot.length + 1)}\n`);
  if (!files.some(({ place }) => place === `${slot}/${slotFolderFiles.program}`))
    throw new Fault('failed-precondition', `the artefact has no ${slotFolderFiles.program}`);
  return lines.toSorted().join('');
}
