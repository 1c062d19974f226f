// What all builds of the image share: locked packages, tools, and the time of the commit.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Architecture, cacheFolder } from '@nodewright/build';
import { type LockedPackage, lockedPackage, lockFile, readPackageLock } from '@nodewright/build/debian';
import { buildInfo } from '@nodewright/contract';
import { archiveMirror } from './debian/archive-mirror.ts';
import { fetchDeb } from './debian/fetch-deb.ts';
import { type LockedTools, openTools } from './debian/locked-tools.ts';
import { unpackDeb } from './debian/unpack-deb.ts';
import type { KernelName } from './kernels.ts';
import { toolPackages } from './recipe.ts';

/** Where the parts of the image are assembled. */
export interface Workshop {
  readonly checkout: string;
  /** An empty folder; the caller removes it. */
  readonly work: string;
  readonly architecture: Architecture;
  /** Default: the kernel for clouds. */
  readonly kernel?: KernelName;
  /** The version of the system. Default: that of this build. */
  readonly tag?: string;
  /** The folder of the bundles. Default: the one of `make build`. */
  readonly bundles?: string;
}

/** The version of the system that is assembled. */
export const tagOf = ({ tag = buildInfo.tag }: Pick<Workshop, 'tag'>): string => tag;

/** The folder of the bundles of that version. */
export const bundlesOf = ({ checkout, bundles }: Pick<Workshop, 'checkout' | 'bundles'>): string =>
  bundles ?? join(checkout, '_out', 'dist');

/**
 * Unpacks the programs that make the image.
 *
 * @throws Error with one line that says what is missing and what to do
 */
export async function unpackTools(workshop: Workshop): Promise<LockedTools> {
  const folder = join(workshop.work, 'tools');
  for (const name of toolPackages(workshop.architecture)) await unpackLocked(name, folder, workshop);
  return openTools(folder, workshop.architecture);
}

/**
 * Unpacks a package of the lock file into `folder`.
 *
 * @throws Error with one line that says what is missing and what to do
 */
export async function unpackLocked(
  name: string,
  folder: string,
  { checkout, architecture }: Pick<Workshop, 'checkout' | 'architecture'>,
): Promise<LockedPackage> {
  const lock = readPackageLock(join(checkout, lockFile));
  const locked = lockedPackage(lock, architecture, name);
  const { snapshot = lock.snapshot } = locked;
  const archive = await fetchDeb({ name, locked, mirror: archiveMirror, snapshot, cache: packageCache() });
  unpackDeb(archive, folder);
  return locked;
}

export const packageCache = () => join(cacheFolder(process.env), 'packages');

/** Unix time of the last commit, so that every build of it has the same bytes. */
export function commitTime(checkout: string): number {
  const text = execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: checkout, encoding: 'utf8' });
  return Number(text.trim());
}

/** The folder of the keys of images: `IMAGE_KEYS`, else one that git ignores. */
export { keysFolder } from '@nodewright/build/keys';

export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1).padStart(6)} MB`;

/** Runs a build; an error becomes one line and the exit code 1. */
export async function runBuild(name: string, build: () => Promise<void>): Promise<void> {
  try {
    await build();
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
