// A crash during a reset must leave either the old node or a wiped one. So the request to wipe is a file of
// its own. Once it is on the disk the node counts as wiped: the next start completes the wipe before it reads
// anything of the node.

import { chmod, lstat, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { type VolumeId, volumeIds, wipeableVolumes } from '@nodewright/contract/volumes';
import { Fault, faultFrom } from '@nodewright/fault';
import { syncFolder, writeFileAtomically } from '@nodewright/files';

/** Where the volumes of a node are on this host. */
export interface WipePlaces {
  /** The folder that is STATE. */
  readonly state: string;
  /** The folder that is EPHEMERAL. */
  readonly ephemeral: string;
  /** The file of META, which is in STATE. */
  readonly meta: string;
  /**
   * Files in STATE that the creator of the cluster wrote and will not write again, such as the addresses of
   * the other nodes.
   */
  readonly given: readonly string[];
  /** A folder with keys that a machine keeps in memory only: it is wiped with STATE. */
  readonly secrets: string;
  /** Whether mounts below these folders belong to the node too; read-only ones stay. */
  readonly ownsMounts: boolean;
  /**
   * Folders of EPHEMERAL that are mounted on others. They are emptied and stay: a mount of a removed folder remains, and nothing can be
   * created in it.
   */
  readonly mounted: readonly string[];
}

export interface NodeWipe {
  /**
   * Wipes the volumes. If it fails or is killed before its first step is on the disk, nothing has changed;
   * after that the volumes are gone, because finish() is the first step of every start.
   *
   * @throws Fault with the path
   */
  wipe(volumes: readonly VolumeId[]): Promise<void>;
  /**
   * Completes the wipe that an earlier run of this node has begun; nothing else of the node may run at the
   * same time. Resolves to the wiped volumes; undefined when there was no request.
   */
  finish(): Promise<readonly VolumeId[] | undefined>;
}

const markerName = '.wipe';

export function createNodeWipe(places: WipePlaces): NodeWipe {
  const { state, ephemeral, meta, given, secrets, ownsMounts } = places;
  const marker = `${state}/${markerName}`;

  async function carryOut(volumes: readonly VolumeId[]): Promise<void> {
    if (volumes.includes(volumeIds.ephemeral)) await emptyFolder(ephemeral, [], ownsMounts, places.mounted);
    const hasMeta = volumes.includes(volumeIds.meta);
    if (volumes.includes(volumeIds.state)) {
      // META is a volume of its own, though its file is here.
      const kept = [marker, ...given, ...(hasMeta ? [] : [meta])];
      await emptyFolder(state, kept, ownsMounts);
      await emptyFolder(secrets, [], ownsMounts);
    } else if (hasMeta) await rm(meta, { force: true });
    await syncFolder(state);
  }

  return {
    async wipe(volumes) {
      await writeFileAtomically(marker, `${JSON.stringify({ volumes })}\n`);
      // The file stays, because processes of the node may write to its volumes until this process has ended.
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

async function readMarker(path: string): Promise<readonly VolumeId[] | undefined> {
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
    throw new Fault('data-loss', `"${path}" is damaged: it is unknown whether this node was to be wiped`);
  }
  return volumes;
}

function volumesFrom(text: string): readonly VolumeId[] | undefined {
  try {
    const { volumes } = JSON.parse(text) as { readonly volumes?: unknown };
    if (!Array.isArray(volumes)) return undefined;
    const known: readonly string[] = wipeableVolumes;
    return volumes.every((volume) => known.includes(volume)) ? volumes : undefined;
  } catch {
    return undefined;
  }
}

/** Removes the contents of the folder except `kept` and the folders `mounted`; it enters mounts only if that is permitted. */
async function emptyFolder(
  folder: string,
  kept: readonly string[],
  entersMounts: boolean,
  mounted: readonly string[] = [],
): Promise<void> {
  let device: number;
  try {
    const stat = await lstat(folder);
    if (!stat.isDirectory()) throw new Fault('failed-precondition', `"${folder}" is not a folder`);
    device = stat.dev;
  } catch (error) {
    if (faultFrom(error).kind === 'not-found') return;
    throw error;
  }
  await removeBelow(Buffer.from(folder), { device, entersMounts, kept: new Set(kept), mounted });
}

const slash = Buffer.from('/');

interface Removal {
  /** The device of the volume itself. */
  readonly device: number;
  readonly entersMounts: boolean;
  readonly kept: ReadonlySet<string>;
  readonly mounted: readonly string[];
}

/** Paths are bytes, because a name need not be valid text. */
async function removeBelow(folder: Buffer, removal: Removal): Promise<void> {
  const { device, entersMounts, kept, mounted } = removal;
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
      // Also empties a folder without permissions for its owner.
      if ((stat.mode & 0o700) !== 0o700) await chmod(path, 0o700);
      await removeBelow(path, removal);
      if (!mounted.some((folder) => `${folder}/`.startsWith(`${path}/`))) await rmdir(path);
    } catch (error) {
      // It was removed in the meantime, or contains a mount.
      const { code } = error as NodeJS.ErrnoException;
      // Part of the image, or a bind mount from outside: not data of this node.
      if (entersMounts && code === 'EROFS') continue;
      if (isMounted && (code === 'EACCES' || code === 'EPERM')) continue;
      if (code === 'ENOENT' || code === 'ENOTEMPTY' || code === 'EBUSY') continue;
      if (error instanceof Fault) throw error;
      const { kind, message } = faultFrom(error);
      throw new Fault(kind, `cannot wipe "${path}": ${message}`, { cause: error });
    }
  }
}
