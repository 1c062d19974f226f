// The slots of a node that is one container. Its images are in the engine that runs it, and the keeper of its cluster loads them: a slot has
// only the digest of an artefact, which stays in the store of the node until the keeper has taken it.
import { artefactEntry, createdDigest, type Slot, type System } from '@nodewright/boot';
import { Fault } from '@nodewright/fault';
import type { ArtefactSource } from '../domain/artefact-source.ts';
import type { LoaderReplacement } from './loader-replacement.ts';
import type { SystemKind } from './machine-upgrades.ts';
import type { PartitionFiles } from './partition-files.ts';
import type { SlotForm, SlotWriter } from './slot-writer.ts';

/** The store, which an artefact has to be in before the keeper can take it. */
export interface ContainerArtefacts extends ArtefactSource {
  /** @returns the name with the digest */
  ensure(image: string, signal: AbortSignal): Promise<string>;
}

export interface ContainerSystemsInit {
  readonly store: ContainerArtefacts;
  /** Writes the certificates into a slot. */
  readonly writeCertificates: (files: PartitionFiles, slot: Slot, texts: readonly string[]) => Promise<void>;
}

export interface ContainerSystems {
  readonly source: ArtefactSource;
  readonly kind: SystemKind;
  readonly form: SlotForm;
}

/** What differs from a node of processes. One artefact is read at a time. */
export function containerSystems({ store, writeCertificates }: ContainerSystemsInit): ContainerSystems {
  let digest: string | undefined;
  return {
    source: {
      async open(image, signal) {
        const name = await store.ensure(image, signal);
        digest = /@sha256:([0-9a-f]{64})$/.exec(name)?.[1];
        return store.open(name, signal);
      },
    },
    kind: {
      nodeKind: 'container',
      placedFiles: () => [],
      place: 'the state of this node',
      writeMore: (files, slot, { certificates }) => writeCertificates(files, slot, certificates),
    },
    form: {
      check: async () => {},
      digests() {
        if (digest === undefined) throw new Fault('failed-precondition', 'the artefact has no digest');
        return `${digest}  ${artefactEntry}\n`;
      },
    },
  };
}

export interface KeepCreatedInit {
  readonly isKept: () => boolean;
  /** Writes a slot whose list is that of the image that the cluster was created with. */
  readonly writer: SlotWriter;
  readonly writeCertificates: (files: PartitionFiles, slot: 'A') => Promise<void>;
  readonly onKept: (system: System) => void;
}

/** The form of slot A before the first upgrade. */
export const createdForm: SlotForm = {
  check: async () => {},
  digests: () => `${createdDigest}  ${artefactEntry}\n`,
};

/** Names the image that runs as the system of slot A, once, before anything else is written. */
export function keepCreatedImage({
  isKept,
  writer,
  writeCertificates,
  onKept,
}: KeepCreatedInit): LoaderReplacement {
  return {
    notice: 'the image that runs is kept as slot A: it is the way back',
    isOld: async () => !isKept(),
    async replace() {
      if (isKept()) return;
      await writer.empty('A');
      await writer.fill('A', {
        ...{ rootHash: createdDigest, files: [], read: async () => {} },
        writeMore: (on) => writeCertificates(on, 'A'),
      });
      await writer.complete('A');
      onKept({ slot: 'A', rootHash: createdDigest });
    },
  };
}
