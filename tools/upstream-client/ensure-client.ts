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
 * Upstream's released client, built from its Go modules unless a cache has it. A build takes minutes of
 * processor time, at the lowest priority. The cache key is the sum of the wrapper module and the version of
 * Go.
 *
 * @throws Error with one line: no suitable Go, or the last line of a failed build
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

/** Twelve hexadecimal digits that depend on the sources of the client and on how it is built. */
function digestOf(wrapper: string): string {
  const hash = createHash('sha256').update(buildFlags.join(' '));
  for (const name of wrapperFiles) hash.update(`\0${name}\0`).update(readFileSync(join(wrapper, name)));
  return hash.digest('hex').slice(0, 12);
}

/**
 * Path of a finished build by any suitable version of Go, since all of them build the same client; empty when
 * there is none.
 */
function findBuild(folder: string): string {
  const [path] = globSync('go*/talosctl', { cwd: folder });
  return path === undefined ? '' : join(folder, path);
}

/** Replace the link by one rename: another process sees the old link or the new one. */
function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) rmSync(path, { recursive: true });
  const draft = `${path}.${process.pid}`;
  symlinkSync(target, draft);
  renameSync(draft, path);
}
