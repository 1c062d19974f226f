import { readFile, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { lockFile, makeFolder, writeFileAtomically } from '@nodewright/files';
import type { TalosconfigLocation } from './locate-talosconfig.ts';
import { parseTalosconfig } from './parse-talosconfig.ts';
import { printTalosconfig } from './print-talosconfig.ts';
import { emptyTalosconfig, type Talosconfig } from './talosconfig.ts';

const folderMode = 0o700;

/** Reads the file; one that does not exist reads as empty. @throws Fault that names the path, and the line */
export async function readTalosconfig(path: string): Promise<Talosconfig> {
  return (await readExistingTalosconfig(path)) ?? emptyTalosconfig;
}

/** Reads the file, or gives undefined when there is none. @throws Fault that names the path, and the line */
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
 * Replaces the file in one step: whoever reads it sees the old or the new text, whole. The folder is made with mode
 * 0700 when missing, the file gets 0600. A symbolic link stays one; its target is replaced.
 */
export async function saveTalosconfig(location: TalosconfigLocation, config: Talosconfig): Promise<void> {
  if (!location.writable) {
    throw new Fault(
      'permission-denied',
      `talosconfig ${location.path} is mounted read-only and cannot be saved`,
    );
  }
  const target = await realpath(location.path).catch(() => location.path);
  try {
    await writeFileAtomically(target, printTalosconfig(config), { hasOtherWriters: true });
  } catch (error) {
    const fault = faultFrom((error as Error).cause ?? error);
    throw new Fault(fault.kind, `talosconfig ${location.path} cannot be saved: ${fault.message}`, {
      cause: error,
    });
  }
}

/**
 * Reads, changes and saves as one step among all processes that use this function, so that two clusters created at
 * once both find their context in the file. Saves nothing when `change` throws or gives back the same object.
 */
export async function updateTalosconfig(
  location: TalosconfigLocation,
  change: (config: Talosconfig) => Talosconfig | Promise<Talosconfig>,
): Promise<Talosconfig> {
  if (location.writable) await makeFolder(dirname(location.path), folderMode);
  await using _lock = location.writable ? await lockFile(`${location.path}.lock`) : undefined;
  const before = await readTalosconfig(location.path);
  const after = await change(before);
  if (after !== before) await saveTalosconfig(location, after);
  return after;
}
