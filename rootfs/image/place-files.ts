import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** A file, link or folder of the root file system. */
export interface Entry {
  /** Path below the root. */
  readonly path: string;
  readonly bytes: number;
  /** The part of the recipe that it belongs to. */
  readonly part: string;
}

/**
 * Copies the files that match `patterns` from a source into the root, with their links as they are.
 *
 * @param to path below the root to which they are moved; default: the path that they have in the source
 * @throws Error when a pattern matches nothing, because the image would lack a file that it needs
 */
export function placeFiles(
  { part, source, patterns, to }: { part: string; source: string; patterns: readonly string[]; to?: string },
  root: string,
): Entry[] {
  return patterns.flatMap((pattern) => {
    const found = globSync(pattern, { cwd: source })
      .filter((path) => !lstatSync(join(source, path)).isDirectory())
      .sort();
    if (found.length === 0) throw new Error(`${part}: no file matches ${pattern}`);
    return found.map((path): Entry => {
      const target = mergedPath(to === undefined ? path : join(to, path));
      if (existsSync(join(root, target))) throw new Error(`${part}: ${target} is there already`);
      mkdirSync(join(root, dirname(target)), { recursive: true });
      cpSync(join(source, path), join(root, target), { verbatimSymlinks: true });
      return { path: target, bytes: lstatSync(join(root, target)).size, part };
    });
  });
}

/** Packages have programs in two folders; in the root one of them is a link to the other. */
const mergedPath = (path: string) => path.replace(/^usr\/sbin\//, 'usr/bin/');

/** The paths of everything below a folder, without following links. */
export function pathsBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? [entry.name, ...pathsBelow(join(folder, entry.name)).map((path) => join(entry.name, path))]
      : [entry.name],
  );
}

/**
 * Gives every folder and program the mode 0755 and every other file 0644, whatever the umask and the modes in
 * the sources: the image must not depend on the machine that builds it.
 */
export function setModes(root: string): void {
  chmodSync(root, 0o755);
  for (const path of pathsBelow(root)) {
    const stats = lstatSync(join(root, path));
    if (stats.isSymbolicLink()) continue;
    chmodSync(join(root, path), stats.isDirectory() || (stats.mode & 0o111) !== 0 ? 0o755 : 0o644);
  }
}

/** @throws Error that names a link to a file that is not in the root, because the patterns of a part left it out */
export function checkLinks(root: string): void {
  for (const path of pathsBelow(root)) {
    if (!lstatSync(join(root, path)).isSymbolicLink()) continue;
    const target = readlinkSync(join(root, path));
    const full = target.startsWith('/') ? join(root, target) : join(root, dirname(path), target);
    if (!existsSync(full)) throw new Error(`${path} is a link to ${target}, which is not in the image`);
  }
}
