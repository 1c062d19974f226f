import { lstat, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import type { PlannedFile } from './planned-file.ts';

export interface WriteFilesOptions {
  /** The directory that relative paths start from. */
  readonly cwd: string;
  /** Whether to overwrite existing files. */
  readonly force: boolean;
}

/**
 * Checks that none of the paths exists, unless `force` is set. Call this before the work that produces the files.
 *
 * @throws Fault `already-exists` that names the first existing path
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
 * Writes the files and creates missing folders. Without `force` it never overwrites a file, even one that another
 * process has just created. With `force` it replaces each file atomically.
 *
 * @throws Fault that names the path
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
    // Write into a device, a pipe or a dangling link instead of replacing it.
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

/** The target of a symbolic link, so that the file and not the link is replaced. A dangling link stays as it is. */
async function followLink(path: string): Promise<string> {
  return (await statOf(path))?.isSymbolicLink() ? await realpath(path).catch(() => path) : path;
}

/** Writes a new file, and removes it when the write fails. */
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
