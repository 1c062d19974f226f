// The copy of a package from which clusters run. npx keeps one folder for a file name, whatever the file holds, and removes it when
// its cache is cleaned; the nodes of a cluster start their programs again at any time.
import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, open, readdir, realpath, rename, rm, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder } from '@nodewright/files';
import { copyName, findDifference, hashFile, manifestName, readManifest } from './package-manifest.ts';

export interface InstallCopyInit {
  /** The folder of the package that runs. */
  readonly source: string;
  /** The folder of all copies; it is created. */
  readonly data: string;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

export interface InstalledCopy {
  /** The folder of the copy. */
  readonly folder: string;
  /** `repaired`: a folder of that name was there, and held something else. */
  readonly state: 'kept' | 'new' | 'repaired';
}

/** Names of copies that are being written, and of those that are being removed. */
export const draftPrefix = '.draft-';
/** No copy takes as long: what is older was left by a process that was killed. */
const oldestDraftMs = 3_600_000;
const spareBytes = 16 * 1024 * 1024;

/**
 * Copies the package to `<data>/<version>-<commit>`, unless the same is there. A copy is written under another name, synced and
 * renamed, so that no process meets a half of one; of several at once the first to finish is used.
 *
 * @throws Error of one line that says what to do; `signal.reason` when it was aborted, with nothing left behind
 */
export async function installCopy(init: InstallCopyInit): Promise<InstalledCopy> {
  const { source, data } = init;
  const wanted = await readManifest(source);
  const folder = join(data, copyName(wanted.manifest));
  if ((await realpath(source)) === (await realpath(folder).catch(() => undefined))) {
    const difference = await findDifference(folder, wanted);
    if (difference === undefined) return { folder, state: 'kept' };
    throw new Error(`${join(folder, difference)} is damaged: run "up" from the archive again`);
  }
  try {
    await makeDataFolder(data);
    await removeOldDrafts(data, init.now());
    const before = await differenceOf(folder, wanted);
    if (before === undefined) return { folder, state: 'kept' };
    await requireRoom(data, wanted.manifest.files);
    const draft = join(data, `${draftPrefix}${randomBytes(6).toString('hex')}`);
    try {
      await writeDraft(draft, wanted, init);
      const isFirst = await publish(draft, folder, wanted);
      if (!isFirst) return { folder, state: 'kept' };
      return { folder, state: before === 'absent' ? 'new' : 'repaired' };
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  } catch (error) {
    init.signal.throwIfAborted();
    throw plainError(error, data);
  }
}

/**
 * Makes the folder of all copies, for its owner alone.
 *
 * @throws Error of one line when it belongs to another user; the error of the system
 */
export async function makeDataFolder(data: string): Promise<void> {
  await makeFolder(data, 0o700);
  await requireOwner(data);
}

type Wanted = Awaited<ReturnType<typeof readManifest>>;

/** `absent`, or what differs; `undefined` when the folder is the package. */
async function differenceOf(folder: string, wanted: Wanted): Promise<string | undefined> {
  try {
    const there = await lstat(folder);
    return there.isDirectory() ? await findDifference(folder, wanted) : 'its folder';
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    // Of a folder that is being replaced meanwhile, a file may be missing.
    return (await lstat(folder).catch(() => undefined)) === undefined ? 'absent' : 'its files';
  }
}

async function writeDraft(draft: string, { manifest, text }: Wanted, init: InstallCopyInit): Promise<void> {
  await mkdir(draft, { mode: 0o700 });
  const folders = new Set([draft]);
  for (const { path, sizeBytes, sha256, isProgram } of manifest.files) {
    const target = join(draft, path);
    await makeFolder(dirname(target), 0o755);
    for (let at = dirname(target); at !== draft; at = dirname(at)) folders.add(at);
    await using file = await open(target, 'wx', 0o644);
    const from = join(init.source, path);
    const copied = await hashFile(from, (chunk) => file.writeFile(chunk), init.signal).catch((error) => {
      throw codeOf(error) === 'ENOENT' ? new Error(`${from} is missing: unpack the archive again`) : error;
    });
    if (copied.sizeBytes !== sizeBytes || copied.sha256 !== sha256)
      throw new Error(`${from} is damaged: unpack the archive again`);
    await file.sync();
    await chmod(target, isProgram ? 0o755 : 0o644);
  }
  await using file = await open(join(draft, manifestName), 'wx', 0o644);
  await file.writeFile(text);
  await file.sync();
  for (const folder of folders) await syncFolder(folder);
}

/** Returns whether this draft is now the copy; else another process has made the same copy meanwhile. */
async function publish(draft: string, folder: string, wanted: Wanted): Promise<boolean> {
  for (;;) {
    try {
      await rename(draft, folder);
      await syncFolder(dirname(folder));
      return true;
    } catch (error) {
      if (!takenCodes.has(codeOf(error))) throw error;
    }
    const difference = await differenceOf(folder, wanted);
    if (difference === undefined) return false;
    if (difference === 'absent') continue;
    const aside = join(dirname(folder), `${draftPrefix}${randomBytes(6).toString('hex')}`);
    // Another process may have moved it away already.
    await rename(folder, aside).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
    await rm(aside, { recursive: true, force: true });
  }
}

const takenCodes: ReadonlySet<string | undefined> = new Set(['EEXIST', 'ENOTEMPTY', 'ENOTDIR']);

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

async function removeOldDrafts(data: string, now: Date): Promise<void> {
  for (const name of await readdir(data)) {
    if (!name.startsWith(draftPrefix)) continue;
    const path = join(data, name);
    const made = (await stat(path).catch(() => undefined))?.mtimeMs ?? now.getTime();
    if (now.getTime() - made > oldestDraftMs) await rm(path, { recursive: true, force: true });
  }
}

/** Who owns the folder can change the programs in it. */
async function requireOwner(data: string): Promise<void> {
  const { uid } = await stat(data);
  if (uid !== process.getuid?.())
    throw new Error(`${data} belongs to another user: set XDG_DATA_HOME to a folder of your own`);
}

async function requireRoom(data: string, files: readonly { readonly sizeBytes: number }[]): Promise<void> {
  const needed = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, spareBytes);
  const { bavail, bsize } = await statfs(data);
  if (bavail * bsize >= needed) return;
  throw new Error(
    `${data} has ${mebibytes(bavail * bsize)} MiB free, and the programs take ${mebibytes(needed)}: free some, or set XDG_DATA_HOME to a folder on another disk`,
  );
}

const mebibytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024);
const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** An error of the system in one line that says what to do; another error as it is. */
export function plainError(error: unknown, data: string): Error {
  const code = codeOf(error);
  if (code === undefined) return error as Error;
  return new Error(
    `the programs cannot be written to ${data} (${code}): set XDG_DATA_HOME to a folder that you may write`,
    { cause: error },
  );
}
