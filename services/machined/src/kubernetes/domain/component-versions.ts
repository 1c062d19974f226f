// The versions of the files of the components: they decide which pods are replaced when a file changes.
import { createHash } from 'node:crypto';
import { type ComponentName, components } from '@nodewright/node-files';
import type { ComponentFiles } from './component-files.ts';

/** Half of the digits of a SHA-256 identify the files, and do not give away what is in them. */
const digits = 32;

/**
 * One part for each component, which changes with its own files alone.
 *
 * @param reloaded names of files that a component reads again by itself, and is not replaced for
 */
export function componentVersions(
  files: ComponentFiles,
  reloaded: Readonly<Partial<Record<ComponentName, readonly string[]>>> = {},
): string {
  return components.map((component) => digestOf(files[component] ?? {}, reloaded[component] ?? [])).join('.');
}

/** The part of the versions that concerns a component. */
export function versionOf(versions: string, component: ComponentName): string {
  return versions.split('.')[components.indexOf(component)] ?? versions;
}

function digestOf(files: Readonly<Record<string, string>>, reloaded: readonly string[]): string {
  const read = Object.entries(files)
    .filter(([name]) => !reloaded.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(read)).digest('hex').slice(0, digits);
}
