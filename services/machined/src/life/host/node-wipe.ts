// A reset must leave the old node or a wiped one, wherever a crash comes. So the wish to wipe is a file of its own: once it
// is on the disk the node is wiped, for the next start begins by making that true, before anything of the node is read.
import { chmod, lstat, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { Fault, faultFrom } from '@nodewright/fault';
import { syncFolder, writeFileAtomically } from '@nodewright/files';
import { type WipeableVolume, wipeableVolumes } from '../domain/plan-reset.ts';

/** Where the volumes of a node are on this host. */
export interface WipePlaces {
  /** The folder that is STATE. */
  readonly state: string;
  /** The folder that is EPHEMERAL. */
  readonly ephemeral: string;
  /** The file that is META; it lies in STATE. */
  readonly meta: string;
  /** Files in STATE that the maker of the cluster gave and nobody gives again, such as where the other nodes are. */
  readonly given: readonly string[];
  /** A folder of keys that a machine has in memory only: it goes with STATE. */
  readonly secrets: string;
  /** Whether what is mounted below these folders is the node's, too; what cannot be written there stays. */
  readonly ownsMounts: boolean;
}

export interface NodeWipe {
  /**
   * Wipes the volumes. When it fails or is killed before its first step is on the disk nothing has happened; after that
   * the volumes are gone for whoever starts the node, finish() being the first thing that it does.
   *
   * @throws Fault with the path
   */
  wipe(volumes: readonly WipeableVolume[]): Promise<void>;
  /**
   * Makes true what an earlier run of this node has begun, for nothing else of the node may run meanwhile. Resolves to
   * what was wiped; undefined when nothing was to be.
   */
  finish(): Promise<readonly WipeableVolume[] | undefined>;
}

const markerName = '.wipe';

export function createNodeWipe({ state, ephemeral, meta, given, secrets, ownsMounts }: WipePlaces): NodeWipe {
  const marker = `${state}/${markerName}`;

  async function carryOut(volumes: readonly WipeableVolume[]): Promise<void> {
    if (volumes.includes('EPHEMERAL')) await emptyFolder(ephemeral, [], ownsMounts);
    if (volumes.includes('STATE')) {
      // META is a volume of its own, though its file lies here.
      const kept = [marker, ...given, ...(volumes.includes('META') ? [] : [meta])];
      await emptyFolder(state, kept, ownsMounts);
      await emptyFolder(secrets, [], ownsMounts);
    } else if (volumes.includes('META')) await rm(meta, { force: true });
    await syncFolder(state);
  }

  return {
    async wipe(volumes) {
      await writeFileAtomically(marker, `${JSON.stringify({ volumes })}\n`);
      // The file stays: what still runs of the node may write to its volumes until this process has ended.
      await carryOut(volumes);
    },
    async finish() {
      const volumes = await readMarker(marker);
      if (volumes === undefined) return undefined;
      await carryOut(volumes);
      await rm(marker, { force: true });
      await syncFolder(state);
      return volumes;
    },
  };
}

async function readMarker(path: string): Promise<readonly WipeableVolume[] | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { kind, message } = faultFrom(error);
    if (kind === 'not-found') return undefined;
    throw new Fault(kind, `cannot read "${path}": ${message}`, { cause: error });
  }
  const volumes = volumesFrom(text);
  if (volumes === undefined) {
    throw new Fault('data-loss', `"${path}" is damaged: whether this node was to be wiped cannot be known`);
  }
  return volumes;
}

function volumesFrom(text: string): readonly WipeableVolume[] | undefined {
  try {
    const { volumes } = JSON.parse(text) as { readonly volumes?: unknown };
    if (!Array.isArray(volumes)) return undefined;
    const known: readonly string[] = wipeableVolumes;
    return volumes.every((volume) => known.includes(volume)) ? volumes : undefined;
  } catch {
    return undefined;
  }
}

/** Removes what is in the folder, but for `kept`; below mounts only where these are entered. */
async function emptyFolder(folder: string, kept: readonly string[], entersMounts: boolean): Promise<void> {
  let device: number;
  try {
    const stat = await lstat(folder);
    if (!stat.isDirectory()) throw new Fault('failed-precondition', `"${folder}" is no folder`);
    device = stat.dev;
  } catch (error) {
    if (faultFrom(error).kind === 'not-found') return;
    throw error;
  }
  await removeBelow(Buffer.from(folder), { device, entersMounts, kept: new Set(kept) });
}

const slash = Buffer.from('/');

interface Removal {
  /** Of the volume itself. */
  readonly device: number;
  readonly entersMounts: boolean;
  readonly kept: ReadonlySet<string>;
}

/** Paths are bytes: a name need not be text. */
async function removeBelow(folder: Buffer, removal: Removal): Promise<void> {
  const { device, entersMounts, kept } = removal;
  for (const name of await readdir(folder, { encoding: 'buffer' })) {
    const path = Buffer.concat([folder, slash, name]);
    if (kept.has(path.toString())) continue;
    let isMounted = false;
    try {
      const stat = await lstat(path);
      isMounted = stat.dev !== device;
      if (isMounted && !entersMounts) continue;
      if (!stat.isDirectory()) {
        await rm(path, { force: true });
        continue;
      }
      // A folder that its owner may not even look into is wiped as well.
      if ((stat.mode & 0o700) !== 0o700) await chmod(path, 0o700);
      await removeBelow(path, removal);
      await rmdir(path);
    } catch (error) {
      // Gone meanwhile, or there is a mount below it.
      const { code } = error as NodeJS.ErrnoException;
      // Part of the image, or somebody else's and only shown here: nothing of this node.
      if (entersMounts && code === 'EROFS') continue;
      if (isMounted && (code === 'EACCES' || code === 'EPERM')) continue;
      if (code === 'ENOENT' || code === 'ENOTEMPTY' || code === 'EBUSY') continue;
      if (error instanceof Fault) throw error;
      const { kind, message } = faultFrom(error);
      throw new Fault(kind, `cannot wipe "${path}": ${message}`, { cause: error });
    }
  }
}
