// What a node is started with: the programs of the cluster, or those of the slot that an upgrade has chosen. All of it is synchronous, so
// nothing happens between the choice and the start.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  type BootState,
  chooseStart,
  encodeSlotChoice,
  type FolderStart,
  type SlotChoice,
  slotFolderFiles,
  slotFolderState,
  stateFiles,
} from '@nodewright/boot';
import { nodePaths } from '@nodewright/contract';
import type { Logger } from '@nodewright/telemetry';
import type { PlannedNode } from '../domain/cluster-shape.ts';
import { kubernetesPrograms } from '../domain/kubernetes-programs.ts';
import { machinedCommand, type NodePrograms } from './machined-command.ts';
import type { NodeStart } from './node-runner.ts';

export interface NextStartInit {
  /** Those that the cluster was started with. */
  readonly programs: NodePrograms;
  readonly log: Pick<Logger, 'error'>;
}

/** Returns what decides each start of a node. @param root the folder of the node */
export function nextStartOf(
  node: PlannedNode,
  root: string,
  { programs, log }: NextStartInit,
): (lastExit: string | undefined) => NodeStart {
  const folder = join(root, nodePaths.slots);
  return (lastExit) => {
    const { slot, isTried } = takeStart(folder, (error) =>
      log.error({ node: node.name, error: String(error) }, 'the choice of the next system cannot be stored'),
    );
    return {
      command: machinedCommand(
        node,
        root,
        slot === undefined ? programs : programsOf(join(folder, slot), programs),
      ),
      tried: slot !== undefined && isTried ? join(folder, slot) : undefined,
      // As variables, which a machined of another version may ignore.
      environment: {
        MACHINED_SYSTEM_SLOT: slot ?? 'none',
        ...(lastExit !== undefined && { MACHINED_LAST_END: lastExit }),
      },
    };
  };
}

type TakenStart = Pick<FolderStart, 'slot' | 'isTried'>;

/**
 * Reads what the folder has, and stores that the next start has what it has after this one.
 *
 * @param onFailure called when that cannot be stored: what is chosen once is not started then, because it would be started again and again
 * @returns the slot to start; undefined for the programs of the cluster
 */
export function takeStart(folder: string, onFailure: (error: unknown) => void): TakenStart {
  const state = readState(folder);
  const start = chooseStart(state);
  if (start.store === undefined) return start;
  try {
    storeChoice(folder, start.store);
    return start;
  } catch (error) {
    onFailure(error);
    return chooseStart({ ...state, once: undefined });
  }
}

function readState(folder: string): BootState {
  const contents = new Map<string, Buffer>();
  for (const [path, limit] of Object.entries(stateFiles)) {
    try {
      contents.set(path, readBounded(join(folder, path), limit));
    } catch {
      // Missing, or it cannot be read just now: the slot cannot be started then.
    }
  }
  return slotFolderState(contents);
}

/** At most one byte more than the limit, with which the content counts as damaged. */
function readBounded(path: string, limit: number): Buffer {
  const file = openFile(path, constants.O_RDONLY);
  try {
    const content = Buffer.alloc(limit + 1);
    return content.subarray(0, readSync(file, content));
  } finally {
    closeSync(file);
  }
}

/** Opens a file. @throws for anything else: opening a pipe would stop the supervisor of all nodes until somebody opens its other end */
function openFile(path: string, flags: number): number {
  const file = openSync(path, flags | constants.O_NONBLOCK | constants.O_NOFOLLOW, 0o600);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw new Error(`${path} is no file`);
}

function storeChoice(folder: string, choice: SlotChoice): void {
  const path = join(folder, slotFolderFiles.choice);
  const draft = `${path}.next`;
  const file = openFile(draft, constants.O_WRONLY | constants.O_CREAT);
  try {
    ftruncateSync(file);
    writeSync(file, encodeSlotChoice(choice));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  const parent = openSync(folder, 'r');
  try {
    fsyncSync(parent);
  } finally {
    closeSync(parent);
  }
}

/** The programs of a slot. What it does not have, or the cluster runs without, stays as it is. */
function programsOf(slot: string, { etcd, kubernetes, ...programs }: NodePrograms): NodePrograms {
  const own = (name: string) => join(slot, slotFolderFiles.etcd, name);
  const hasEtcd = existsSync(own('etcd')) && existsSync(own('etcdutl'));
  return {
    ...programs,
    servicesFolder: join(slot, slotFolderFiles.bundles),
    etcd: etcd && hasEtcd ? { etcd: own('etcd'), etcdutl: own('etcdutl') } : etcd,
    kubernetes: kubernetes && (kubernetesOf(slot) ?? kubernetes),
  };
}

/** The artefact has one program that chooses by the name that it was started with. */
function kubernetesOf(slot: string): string | undefined {
  const folder = join(slot, slotFolderFiles.kubernetes);
  if (!existsSync(join(folder, 'kube'))) return undefined;
  for (const name of kubernetesPrograms) {
    try {
      symlinkSync('kube', join(folder, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return undefined;
    }
  }
  return folder;
}
