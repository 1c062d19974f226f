import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { linkTarget, lockFile, makeFolder, writeFileAtomically } from '@nodewright/files';
import type { TalosconfigLocation } from './locate-talosconfig.ts';
import { parseTalosconfig } from './parse-talosconfig.ts';
import { printTalosconfig } from './print-talosconfig.ts';
import { emptyTalosconfig, type Talosconfig } from './talosconfig.ts';

const folderMode = 0o700;

/**
 * Reads the file; a missing file is an empty configuration. @throws Fault that names the path, and the line
 */
export async function readTalosconfig(path: string): Promise<Talosconfig> {
  return (await readExistingTalosconfig(path)) ?? emptyTalosconfig;
}

/**
 * Reads the file; returns `undefined` if it does not exist. @throws Fault that names the path, and the line
 */
export async function readExistingTalosconfig(path: string): Promise<Talosconfig | undefined> {
  try {
    return parseTalosconfig(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof Fault) throw error;
    const fault = faultFrom(error);
    if (fault.kind === 'not-found') return undefined;
    throw new Fault(fault.kind, `talosconfig ${path} cannot be read: ${fault.message}`, { cause: error });
  }
}

/**
 * Replaces the file atomically; its mode is 0600. A missing folder is created with mode 0700. A symbolic link
 * is kept, and its target is replaced.
 */
export async function saveTalosconfig(location: TalosconfigLocation, config: Talosconfig): Promise<void> {
  if (!location.writable) {
    throw new Fault(
      'permission-denied',
      `talosconfig ${location.path} is mounted read-only and cannot be saved`,
    );
  }
  try {
    await writeFileAtomically(await linkTarget(location.path), printTalosconfig(config), {
      hasOtherWriters: true,
    });
  } catch (error) {
    const fault = faultFrom((error as Error).cause ?? error);
    throw new Fault(fault.kind, `talosconfig ${location.path} cannot be saved: ${fault.message}`, {
      cause: error,
    });
  }
}

/**
 * Reads, changes and saves the file under a lock, so that no concurrent update is lost. Creates the folder
 * with mode 0700 if it is missing. Does not save when `change` throws or returns the same object.
 */
export async function updateTalosconfig(
  location: TalosconfigLocation,
  change: (config: Talosconfig) => Talosconfig | Promise<Talosconfig>,
): Promise<Talosconfig> {
  await using _lock = location.writable ? await lockTarget(location.path) : undefined;
  const before = await readTalosconfig(location.path);
  const after = await change(before);
  if (after !== before) await saveTalosconfig(location, after);
  return after;
}

/** A file that has several names through links has one lock. */
async function lockTarget(path: string): Promise<AsyncDisposable> {
  const target = await linkTarget(path);
  await makeFolder(dirname(target), folderMode);
  return lockFile(`${target}.lock`);
}
