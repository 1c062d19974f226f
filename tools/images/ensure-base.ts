import { spawnSync } from 'node:child_process';
import { type Architecture, nativeArchitecture } from '@nodewright/build';
import { tryDocker } from '@nodewright/provision/engine';
import { makeBase } from './make-base.ts';

const baseTag = 'node:26-trixie-slim';

export interface EnsureBaseInit {
  readonly architecture: Architecture;
  readonly epochSeconds: number;
  readonly note: (line: string) => void;
}

/**
 * Makes sure that the image exists from which the suite's images copy their libraries, and returns its name
 * for the build argument `BASE`. It is the public image, present or pulled, or a stand-in made of Debian
 * packages when no registry answers. The stand-in holds only libraries, so it has a name of its own that
 * cannot be mistaken for the public image.
 *
 * @throws Error with one line that says what to do
 */
export async function ensureBase({ architecture, epochSeconds, note }: EnsureBaseInit): Promise<string> {
  const name = publicBase(architecture);
  const standIn = standInBase(architecture);
  for (const known of [name, standIn]) if (await isThere(known, architecture)) return known;
  const pulled = await tryDocker(['pull', '--quiet', '--platform', `linux/${architecture}`, name]);
  if (pulled.code === 0) {
    note(`pulled ${name}`);
    return name;
  }
  if (process.getuid?.() !== 0 || spawnSync('mmdebstrap', ['--version']).error !== undefined)
    throw new Error(
      `${name} cannot be pulled: connect to its registry, or let root make it with mmdebstrap (apt-get install mmdebstrap)`,
    );
  await makeBase(standIn, architecture, epochSeconds);
  note(`made ${standIn} from Debian packages, because no registry answers for ${name}`);
  return standIn;
}

/**
 * Docker Hub also has the images of each architecture under separate names. Pulling those does not replace
 * the image under the short name.
 */
export function publicBase(architecture: Architecture): string {
  if (architecture === nativeArchitecture()) return baseTag;
  return `${architecture === 'arm64' ? 'arm64v8' : 'amd64'}/${baseTag}`;
}

export function standInBase(architecture: Architecture): string {
  return `nodewright/base:trixie-${architecture}`;
}

async function isThere(name: string, architecture: Architecture): Promise<boolean> {
  const { code, stdout } = await tryDocker(['image', 'inspect', '--format', '{{.Architecture}}', name]);
  return code === 0 && stdout.trim() === architecture;
}
