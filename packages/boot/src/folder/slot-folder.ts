import type { BootState, SlotChoice, System } from '../loader/boot-state.ts';
import { isSlot, type Slot, slots } from '../slot/slot.ts';
import { slotFiles } from '../slot/slot-files.ts';

/**
 * The folder with the two systems of a node that is a set of processes, and the choice between them. What starts the node reads it, as a
 * boot loader reads the partition BOOT of a machine.
 */
export const slotFolderFiles = {
  /** The stored choice. It is replaced as a whole, by one rename. */
  choice: 'choice.json',
  /** Below the folder of a slot: the bundles of the daemons, by their names. */
  bundles: 'bundles',
  /** The same: programs of etcd. A system without them runs those of the cluster. */
  etcd: 'etcd',
  /** The same: programs of Kubernetes. */
  kubernetes: 'kubernetes',
  /** The same: the certificates, as PEM, of the keys that may sign the next system. */
  certificates: 'certificates.pem',
  /** The same: written again and again while the slot is tried. */
  alive: 'alive',
  /** Without it a slot cannot be started. */
  program: 'bundles/machined/machined.cjs',
} as const;

/** The kinds of nodes that have such a folder. */
export interface SlotFolderForm {
  /** What the list of a slot must have, so that the slot can be started. */
  readonly program: string;
  /** What the choice says besides, by the lists of the slots. */
  readonly describe?: (lists: Readonly<Partial<Record<Slot, string>>>) => Readonly<Record<string, unknown>>;
}

const processForm: SlotFolderForm = { program: slotFolderFiles.program };

/** The name in the list of a slot of a node that is one container: its digest is that of the artefact. */
export const artefactEntry = 'artefact';
/** In place of a digest: the image that the cluster was created with. */
export const createdDigest = '0'.repeat(64);

/**
 * A node that is one container: its image is not in its slots, whose lists name artefacts. The choice says which, for the keeper, which reads
 * nothing else.
 */
export const containerForm: SlotFolderForm = {
  program: artefactEntry,
  describe: (lists) => ({
    systems: Object.fromEntries(
      Object.entries(lists).flatMap(([slot, list]) => {
        const [, digest] = containerList.exec(list) ?? [];
        if (digest === undefined) return [];
        return [[slot, digest === createdDigest ? 'created' : `sha256:${digest}`]];
      }),
    ),
  }),
};

const containerList = /^([0-9a-f]{64}) {2}artefact\n$/;

/** A list of digests has a line for each file of the slot. */
export const slotListBytes = 64 * 1024;
const choiceBytes = 1024;
const rootHashBytes = 65;

/** The files that say what the folder has, with the number of bytes that each may have. Longer ones count as damaged. */
export const stateFiles: Readonly<Record<string, number>> = {
  [slotFolderFiles.choice]: choiceBytes,
  ...Object.fromEntries(
    slots.flatMap((slot) => [
      [`${slot}/${slotFiles.digests}`, slotListBytes],
      [`${slot}/${slotFiles.rootHash}`, rootHashBytes],
    ]),
  ),
};

/**
 * What the folder has.
 *
 * @param contents of the `stateFiles` that exist, by path
 */
export function slotFolderState(
  contents: ReadonlyMap<string, Buffer>,
  { program }: Pick<SlotFolderForm, 'program'> = processForm,
): BootState {
  const entries = slots
    .map((slot) => systemOf(slot, contents, program))
    .filter((system) => system !== undefined);
  return { ...choiceOf(contents.get(slotFolderFiles.choice)), entries };
}

/** The bytes of a choice. @param more what it says besides */
export const encodeSlotChoice = (choice: SlotChoice, more: Readonly<Record<string, unknown>> = {}): Buffer =>
  Buffer.from(`${JSON.stringify({ default: choice.default, once: choice.once, ...more })}\n`);

/** A damaged choice counts as none. */
function choiceOf(bytes: Buffer | undefined): SlotChoice {
  const none = { default: undefined, once: undefined };
  if (bytes === undefined || bytes.length > choiceBytes) return none;
  try {
    const found: unknown = JSON.parse(bytes.toString());
    if (typeof found !== 'object' || found === null) return none;
    const { default: byDefault, once } = found as Readonly<Record<string, unknown>>;
    return { default: slotFrom(byDefault), once: slotFrom(once) };
  } catch {
    return none;
  }
}

const slotFrom = (value: unknown): Slot | undefined =>
  typeof value === 'string' && isSlot(value) ? value : undefined;

/** The system of a slot. Undefined when it is not complete: its list of digests gets its name last. */
function systemOf(slot: Slot, contents: ReadonlyMap<string, Buffer>, program: string): System | undefined {
  const list = contents.get(`${slot}/${slotFiles.digests}`);
  const hash = contents.get(`${slot}/${slotFiles.rootHash}`)?.toString('latin1') ?? '';
  const [, rootHash] = /^([0-9a-f]{64})\n$/.exec(hash) ?? [];
  if (list === undefined || list.length > slotListBytes || rootHash === undefined) return undefined;
  const text = list.toString('latin1');
  const listsProgram = text.endsWith('\n') && text.includes(`  ${program}\n`);
  return listsProgram ? { slot, rootHash } : undefined;
}
