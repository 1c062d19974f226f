import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildCaches, type Caches } from '../go/build-caches.ts';
import { compilePackages } from '../go/compile-packages.ts';
import { ensureProgram, findProgram, openGo } from '../go/ensure-program.ts';
import { BuildProgress } from './build-progress.ts';
import { gibibytes, readRoom, roomProblem } from './check-room.ts';
import { type KubernetesPart, kubernetesParts } from './parts.ts';

export interface EnsureKubernetesInit {
  readonly checkout: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Receives lines about a build. */
  readonly note: (line: string) => void;
  /** The folders to use; this machine's by default. */
  readonly caches?: Caches;
  readonly parts?: Readonly<Record<string, KubernetesPart>>;
}

export interface BuiltKubernetes {
  /** Folder with a link for each program. */
  readonly folder: string;
  /** Names of the parts that this call built. */
  readonly built: readonly string[];
}

/** The folder of a checkout with the programs of Kubernetes. */
export function kubernetesFolder(checkout: string): string {
  return join(checkout, '_out', 'tools', 'kubernetes');
}

/** Whether a cache has every part, so that nothing has to be built. */
export function hasKubernetes(checkout: string, environment: NodeJS.ProcessEnv): boolean {
  const caches = buildCaches(checkout, environment);
  return Object.values(kubernetesParts).every(
    ({ program, wrapper }) =>
      findProgram({ program, wrapper: join(import.meta.dirname, wrapper), caches }) !== undefined,
  );
}

/**
 * The programs of Kubernetes: built from Go modules unless a cache has them, and linked below the checkout. An
 * interrupted build goes on where it was.
 *
 * @throws Error with one line: too little memory or disk space, no suitable Go, or the last line of a failed build
 */
export async function ensureKubernetes(init: EnsureKubernetesInit): Promise<BuiltKubernetes> {
  const { checkout, environment } = init;
  const parts = init.parts ?? kubernetesParts;
  const caches = init.caches ?? buildCaches(checkout, environment);
  const folder = kubernetesFolder(checkout);
  const built: string[] = [];
  for (const [name, part] of Object.entries(parts)) {
    const { path, isNew } = await ensurePart(name, part, { ...init, caches });
    if (isNew) built.push(name);
    for (const link of part.names) linkTo(path, join(folder, link));
  }
  return { folder, built };
}

async function ensurePart(
  name: string,
  { program, wrapper: folder, cost }: KubernetesPart,
  { caches, environment, note }: EnsureKubernetesInit & { readonly caches: Caches },
): Promise<{ readonly path: string; readonly isNew: boolean }> {
  const wrapper = join(import.meta.dirname, folder);
  const found = findProgram({ program, wrapper, caches });
  if (found !== undefined) return { path: found, isNew: false };
  const go = openGo({ program, caches, environment, note });
  const problem = roomProblem(name, cost, readRoom(existingFolder(cacheOf(go.go, go.environment))));
  if (problem !== undefined) throw new Error(problem);
  note(
    `${name} ${program.version} is built from Go modules once: about ${cost.minutes} minutes of one core, up to ${gibibytes(cost.memoryBytes)} of memory and ${gibibytes(cost.diskBytes)} of disk space; fetching the sources`,
  );
  const progress = new BuildProgress(name, () => performance.now());
  const report = (state: Parameters<BuildProgress['line']>[0]) => {
    const line = progress.line(state);
    if (line !== undefined) note(line);
  };
  await compilePackages({ program, wrapper, ...go, report });
  return { path: ensureProgram({ program, wrapper, caches, environment, note }).path, isNew: true };
}

function cacheOf(go: string, env: NodeJS.ProcessEnv): string {
  return execFileSync(go, ['env', 'GOCACHE'], { cwd: '/', env, encoding: 'utf8' }).trim();
}

/** The folder, or the nearest one above it that exists. */
function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder));
}

/** Replaces the link by one rename: another process sees the old link or the new one. */
function linkTo(target: string, path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() && readlinkSync(path) === target) return;
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  rmSync(draft, { force: true });
  symlinkSync(target, draft);
  renameSync(draft, path);
}
