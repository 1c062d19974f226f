// The folder `sets` of a slot on BOOT: a folder for each set, and three files that name sets. Every change is complete with one rename,
// so a crash leaves the old or the new state. The init reads it, and renames `next` to `tried`.
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import {
  decodeSetDescription,
  type ExtensionSetDescription,
  encodeSetDescription,
  setFiles,
  type VerifiedSet,
} from '@nodewright/extensions/sets';
import { Fault } from '@nodewright/fault';
import { makeFolder, syncFolder, writeFileAtomically } from '@nodewright/files';
import { namedSets, type SetNames } from '../domain/plan-set-start.ts';

const folderMode = 0o755;
const incoming = 'incoming';
/** A set that did not start. The init has its files open until the machine ends. */
const setAside = 'set-aside';
const nameFiles = ['next', 'tried', 'active'] as const;
/** For folders, and the blocks that a file fills in part. */
const spareBytes = 1 << 20;

/** What the files name. A folder that is missing names nothing. */
export async function readSetNames(folder: string): Promise<SetNames> {
  const read = async (name: string) =>
    (await readFile(join(folder, name), 'latin1').catch(undefinedIfMissing))?.trim();
  return { next: await read('next'), tried: await read('tried'), active: await read('active') };
}

/** The description of a set; undefined when the folder does not have it, or has it damaged. */
export async function readSet(folder: string, name: string): Promise<ExtensionSetDescription | undefined> {
  const bytes = await readFile(join(folder, name, setFiles.description)).catch(undefinedIfMissing);
  try {
    return bytes && decodeSetDescription(bytes);
  } catch {
    return undefined;
  }
}

/** Makes what was tried the active set, or no set. */
export async function keepTried(folder: string, isRemoval: boolean): Promise<void> {
  if (isRemoval) {
    // In this order: after a crash between the two, the removal is still what was tried.
    await rm(join(folder, 'active'), { force: true });
    await syncFolder(folder);
    await rm(join(folder, 'tried'), { force: true });
  } else await rename(join(folder, 'tried'), join(folder, 'active'));
  await syncFolder(folder);
}

/**
 * Forgets what was tried, and gives its folder another name. Its files must stay until the machine ends: the init may have them open, and
 * a file system with open files that were removed cannot become read-only again.
 */
export async function dropTried(folder: string): Promise<void> {
  const { tried, ...others } = await readSetNames(folder);
  const isNamed = tried === undefined || namedSets({ ...others, tried: undefined }).has(tried);
  await rm(join(folder, setAside), { recursive: true, force: true });
  if (!isNamed) await rename(join(folder, tried), join(folder, setAside)).catch(undefinedIfMissing);
  await rm(join(folder, 'tried'), { force: true });
  await syncFolder(folder);
}

/** Lets the next start try a set that is there, or none. */
export async function nameNext(folder: string, name: string): Promise<void> {
  await makeFolder(folder, folderMode);
  await writeFileAtomically(join(folder, 'next'), `${name}\n`);
}

/** What nothing names: sets that were replaced or did not start, and parts of one that a crash left. */
export async function listOthers(folder: string): Promise<readonly string[]> {
  const named = namedSets(await readSetNames(folder));
  const kept = new Set<string>([...named, ...nameFiles]);
  return ((await readdir(folder).catch(undefinedIfMissing)) ?? []).filter((name) => !kept.has(name));
}

/** Removes what nothing names. @param isTriedOpen whether this start has tried a set in vain: its files stay */
export async function removeOthers(folder: string, isTriedOpen: boolean): Promise<void> {
  for (const name of await listOthers(folder))
    if (name !== setAside || !isTriedOpen) await rm(join(folder, name), { recursive: true, force: true });
}

/**
 * Writes a set that was verified. It is complete when it has its name.
 *
 * @param archive the file that was verified, which nobody can have changed since
 * @param isTriedOpen as of `removeOthers()`
 * @throws Fault `resource-exhausted` when the file system is full
 */
export async function placeSet(
  folder: string,
  set: VerifiedSet,
  { archive, isTriedOpen }: { readonly archive: string; readonly isTriedOpen: boolean },
): Promise<void> {
  const { description, rootHashSignature, tree, squashfsOffset } = set;
  const { rootHash, squashfsBytes } = description;
  await makeFolder(folder, folderMode);
  await removeOthers(folder, isTriedOpen);
  if (namedSets(await readSetNames(folder)).has(rootHash)) return;
  const { bavail, bsize } = await statfs(folder);
  const needed = squashfsBytes + tree.length + spareBytes;
  if (bavail * bsize < needed)
    throw new Fault(
      'resource-exhausted',
      `the partition BOOT has ${bavail * bsize} bytes left, and the set needs ${needed}`,
    );
  const place = join(folder, incoming);
  await makeFolder(place, folderMode);
  const range = { start: squashfsOffset, end: squashfsOffset + squashfsBytes - 1 };
  await writeSynced(join(place, setFiles.squashfs), createReadStream(archive, range));
  await writeSynced(join(place, setFiles.tree), [tree]);
  await writeSynced(join(place, setFiles.rootHashSignature), [rootHashSignature]);
  await writeSynced(join(place, setFiles.description), [encodeSetDescription(description)]);
  await syncFolder(place);
  await rename(place, join(folder, rootHash));
  await syncFolder(folder);
}

async function writeSynced(
  path: string,
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  for await (const piece of content) await file.writeFile(piece);
  await file.sync();
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
