import { spawnSync } from 'node:child_process';
import { tryDocker } from '../../packages/provision/src/docker/run-docker.ts';
import { type Architecture, nativeArchitecture } from './architecture.ts';
import { makeBase } from './make-base.ts';

/** The public images that the Dockerfiles build on, by their build arguments. */
export const publicBases = {
  BASE: 'gcr.io/distroless/cc-debian13:latest',
  LIBATOMIC_BASE: 'gcr.io/distroless/nodejs26-debian13:latest',
} as const;

export interface EnsureBasesInit {
  readonly architecture: Architecture;
  readonly epochSeconds: number;
  readonly note: (line: string) => void;
}

/**
 * Makes sure that the bases are there: found, pulled, or made under the public names where no registry answers.
 * Yields the build arguments that name them; those of another architecture have names of their own.
 */
export async function ensureBases(init: EnsureBasesInit): Promise<Record<string, string>> {
  const { architecture, note } = init;
  const suffix = architecture === nativeArchitecture() ? '' : `-${architecture}`;
  const names = Object.fromEntries(Object.entries(publicBases).map(([arg, name]) => [arg, name + suffix]));
  const missing: string[] = [];
  for (const name of Object.values(names)) {
    const found = await tryDocker(['image', 'inspect', '--format', '{{.Id}}', name]);
    if (found.code === 0) continue;
    const pulled = await tryDocker(['pull', '--quiet', '--platform', `linux/${architecture}`, name]);
    if (pulled.code === 0) note(`pulled ${name}`);
    else missing.push(name);
  }
  const [first, ...others] = missing;
  if (first === undefined) return names;
  if (process.getuid?.() !== 0 || spawnSync('mmdebstrap', ['--version']).error !== undefined)
    throw new Error(
      `${first} cannot be pulled: connect to its registry, or let root make it with mmdebstrap (apt-get install mmdebstrap)`,
    );
  await makeBase(first, architecture, init.epochSeconds);
  // One stand-in holds what both public bases are there for.
  for (const name of others) await tryDocker(['tag', first, name]);
  note(`made ${missing.join(' and ')} from Debian packages, because no registry answers`);
  return names;
}
