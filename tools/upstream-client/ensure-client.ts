import { lstatSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildCaches, type Caches, ensureProgram } from '@nodewright/build/go';
import { clientProgram } from './client-program.ts';

export interface EnsureClientInit {
  readonly checkout: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly note: (line: string) => void;
  /** The folders to use; this machine's by default. */
  readonly caches?: Caches;
}

export interface UpstreamClient {
  /** The link in the checkout that the tests run. */
  readonly program: string;
  readonly built: boolean;
}

/** Path of the released client in a checkout: a link to the build in a cache. */
export function upstreamClientPath(checkout: string): string {
  return join(checkout, '_out', 'tools', 'upstream-talosctl');
}

/**
 * Upstream's released client, built from its Go modules unless a cache has it.
 *
 * @throws Error with one line: no suitable Go, or the last line of a failed build
 */
export function ensureUpstreamClient(init: EnsureClientInit): UpstreamClient {
  const { checkout, environment, note } = init;
  const caches = init.caches ?? buildCaches(checkout, environment);
  const wrapper = join(checkout, 'tests', 'upstream', 'client');
  const { path, built } = ensureProgram({ program: clientProgram, wrapper, caches, environment, note });
  const program = upstreamClientPath(checkout);
  link(path, program);
  return { program, built };
}

/** Replace the link by one rename: another process sees the old link or the new one. */
function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) rmSync(path, { recursive: true });
  const draft = `${path}.${process.pid}`;
  symlinkSync(target, draft);
  renameSync(draft, path);
}
