import { createHash } from 'node:crypto';
import { globSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findGo } from '../go/find-go.ts';
import { nativeArchitecture } from '../images/architecture.ts';
import { buildCaches, type Caches } from './build-caches.ts';
import { buildClient, buildFlags, leastGoMinor, wrapperFiles } from './build-client.ts';

export interface EnsureClientInit {
  readonly checkout: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly note: (line: string) => void;
  /** Those of this machine by default. */
  readonly caches?: Caches;
}

export interface UpstreamClient {
  /** A link in the checkout that the tests start. */
  readonly program: string;
  readonly built: boolean;
}

/** Where the released client of a checkout is: a link to the build in a cache. */
export function upstreamClientPath(checkout: string): string {
  return join(checkout, '_out', 'tools', 'upstream-talosctl');
}

/**
 * The released client of upstream, built from its Go modules unless a cache has it: minutes of processor time at the
 * lowest priority. A cache keeps it by the sum of the wrapper module and by Go's version.
 *
 * @throws Error with one line: no Go that fits, or the last line of a build that failed.
 */
export function ensureUpstreamClient(init: EnsureClientInit): UpstreamClient {
  const { checkout, environment, note } = init;
  const caches = init.caches ?? buildCaches(checkout, environment);
  const wrapper = join(checkout, 'tests', 'upstream', 'client');
  const name = join('upstream-client', digestOf(wrapper), nativeArchitecture());
  const found = caches.readable.map((cache) => findBuild(join(cache, name))).find((path) => path !== '');
  const build = () => {
    const go = findGo({ leastMinor: leastGoMinor, folder: join(caches.writable, 'go'), environment, note });
    return buildClient({ go, wrapper, folder: join(caches.writable, name), environment, note });
  };
  const program = upstreamClientPath(checkout);
  link(found ?? build(), program);
  return { program, built: found === undefined };
}

/** Twelve digits that change with what the client is built from, and how. */
function digestOf(wrapper: string): string {
  const hash = createHash('sha256').update(buildFlags.join(' '));
  for (const name of wrapperFiles) hash.update(`\0${name}\0`).update(readFileSync(join(wrapper, name)));
  return hash.digest('hex').slice(0, 12);
}

/** Any version of Go that fits makes the same client. Empty where there is none. */
function findBuild(folder: string): string {
  const [path] = globSync('go*/talosctl', { cwd: folder });
  return path === undefined ? '' : join(folder, path);
}

/** One rename: another process sees the old link or the new one. */
function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) rmSync(path, { recursive: true });
  const draft = `${path}.${process.pid}`;
  symlinkSync(target, draft);
  renameSync(draft, path);
}
