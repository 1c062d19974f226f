import { lstat, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import type { PlannedFile } from './planned-file.ts';

export interface WriteFilesOptions {
  /** Relative paths start here. */
  readonly cwd: string;
  /** Overwrite what is there. */
  readonly force: boolean;
}

/**
 * Throws a Fault `already-exists` naming the first of the paths where something is, unless `force` is set. For calling
 * before the work is done whose result goes there.
 */
export async function refuseExisting(
  paths: readonly string[],
  { cwd, force }: WriteFilesOptions,
): Promise<void> {
  if (force) return;
  for (const path of paths) {
    if ((await statOf(resolve(cwd, path))) !== undefined) throw existsFault(path);
  }
}

/**
 * Writes the files, making folders as needed. Without `force` a file that exists is refused, also one that appeared
 * just now; with it, the old content is there until the new one is complete. Throws a Fault that names the path.
 */
export async function writeFiles(files: readonly PlannedFile[], options: WriteFilesOptions): Promise<void> {
  await refuseExisting(
    files.map(({ path }) => path),
    options,
  );
  for (const file of files) await writePlannedFile(file, options);
}

async function writePlannedFile(
  { path, text, mode }: PlannedFile,
  { cwd, force }: WriteFilesOptions,
): Promise<void> {
  try {
    const named = resolve(cwd, path);
    const target = force ? await followLink(named) : named;
    await makeFolder(dirname(target));
    const before = await statOf(target);
    // A device, a pipe or a link to nothing is written to, not replaced.
    if (force && before !== undefined && !before.isFile()) return await fill(target, 'w', text, mode);
    if (!force) return await fillNew(target, text, mode);
    const draft = `${target}.${process.pid}.new`;
    await fillNew(draft, text, mode);
    await rename(draft, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw existsFault(path);
    const fault = faultFrom(error);
    throw new Fault(fault.kind, `cannot write ${JSON.stringify(path)}: ${fault.message}`, { cause: error });
  }
}

/** A link stays one: what it leads to is replaced. One that leads nowhere is itself written to. */
async function followLink(path: string): Promise<string> {
  return (await statOf(path))?.isSymbolicLink() ? await realpath(path).catch(() => path) : path;
}

/** Leaves nothing behind when the disk is full. */
async function fillNew(path: string, text: string, mode: number): Promise<void> {
  const handle = await open(path, 'wx', mode);
  try {
    await handle.writeFile(text);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

async function fill(path: string, flags: string, text: string, mode: number): Promise<void> {
  await using handle = await open(path, flags, mode);
  await handle.writeFile(text);
}

function statOf(path: string) {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

function existsFault(path: string): Fault {
  return new Fault(
    'already-exists',
    `file ${JSON.stringify(path)} already exists, use --force to overwrite it`,
  );
}
