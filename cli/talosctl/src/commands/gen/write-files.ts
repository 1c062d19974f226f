import { lstat, open } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { linkTarget, makeFolder } from '@nodewright/files';
import { PartialFile } from '../../context/partial-file.ts';
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
  const target = resolve(cwd, path);
  try {
    await makeFolder(dirname(await linkTarget(target)));
  } catch (error) {
    throw folderFault(path, dirname(target), error);
  }
  try {
    // Write into a device or a pipe instead of replacing it.
    if (force && (await isSpecial(target))) return await fill(target, 'w', text, mode);
  } catch (error) {
    const fault = faultFrom(error);
    throw new Fault(fault.kind, `cannot write ${JSON.stringify(path)}: ${fault.message}`, { cause: error });
  }
  try {
    await using file = await PartialFile.open(target, { mode, isNew: !force, shownPath: path });
    await file.write(Buffer.from(text));
    await file.commit();
  } catch (error) {
    throw faultFrom(error).kind === 'already-exists' ? existsFault(path) : error;
  }
}

/** Whether the path leads to something else than a file, such as a device. */
async function isSpecial(path: string): Promise<boolean> {
  const found = await statOf(await linkTarget(path));
  return found !== undefined && !found.isFile();
}

async function fill(path: string, flags: string, text: string, mode: number): Promise<void> {
  await using handle = await open(path, flags, mode);
  await handle.writeFile(text);
}

function statOf(path: string) {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    // A file where a folder should be is reported by what makes the folder.
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
}

/** The folder could not be made: the system names the one of its parents where it failed, or none. */
function folderFault(path: string, folder: string, error: unknown): Fault {
  const { kind, message } = faultFrom(error);
  const { code } = error as NodeJS.ErrnoException;
  const isFile = code === 'ENOTDIR' || code === 'EEXIST';
  const why = isFile ? 'a part of its path is a file' : (code ?? message);
  const reason =
    code === 'ENOENT'
      ? `folder ${JSON.stringify(folder)} does not exist, and cannot be made`
      : `folder ${JSON.stringify(folder)} cannot be made: ${why}`;
  return new Fault(kind, `cannot write ${JSON.stringify(path)}: ${reason}`, { cause: error });
}

function existsFault(path: string): Fault {
  return new Fault(
    'already-exists',
    `file ${JSON.stringify(path)} already exists, use --force to overwrite it`,
  );
}
