import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Architecture, nativeArchitecture } from '@nodewright/build';
import { tryDocker } from '@nodewright/provision/engine';
import { ensureBase } from './ensure-base.ts';
import type { NormalisedImages } from './normalise-images.ts';
import { saveNormalised } from './save-normalised.ts';
import { stageContext } from './stage-context.ts';

/** Every image and the folder of its Dockerfile. */
const imageFolders = {
  machined: 'services/machined',
  apid: 'services/apid',
  trustd: 'services/trustd',
  registryd: 'services/registryd',
  'udevd-bridge': 'services/udevd-bridge',
  toolbox: 'images/toolbox',
} as const;
export type ImageService = keyof typeof imageFolders;
export const imageServices = Object.keys(imageFolders) as ImageService[];

export interface BuildImagesInit {
  readonly checkout: string;
  /** Default: all. */
  readonly services?: readonly ImageService[];
  readonly tag: string;
  readonly architecture: Architecture;
  readonly useCache: boolean;
  /** Modification time of every file. */
  readonly epochSeconds: number;
  readonly revision: string;
  readonly note: (line: string) => void;
}

/**
 * Builds every image and loads it into the engine as `nodewright/<service>:<tag>`. Throws an error of one
 * line.
 */
export async function buildImages(init: BuildImagesInit): Promise<{ name: string; id: string }[]> {
  const { checkout, architecture, services = imageServices } = init;
  const isNative = architecture === nativeArchitecture();
  const base = await ensureBase(init);
  const context = isNative ? checkout : stageContext(checkout, architecture);
  const suffix = isNative ? '' : `-${architecture}`;
  const names = services.map((service) => `nodewright/${service}:${init.tag}${suffix}`);
  const drafts = names.map((name) => `${name}-draft`);
  try {
    // Build one image at a time: they share their first layers.
    for (const [index, service] of services.entries())
      await build(init, base, context, service, drafts[index] ?? '');
    const normalised = await saveNormalised({
      names: new Map(drafts.map((draft, index) => [draft, names[index] ?? ''])),
      architecture,
      epochSeconds: init.epochSeconds,
    });
    const before = (await Promise.all(names.map(idOf))).filter((id) => id !== undefined);
    await load(normalised);
    // An image that lost its tag to the new one is removed, unless a container still runs it.
    const kept = new Set(normalised.images.map(({ id }) => id));
    for (const id of before) if (!kept.has(id)) await tryDocker(['rmi', id]);
    return [...normalised.images].sort((a, b) => (a.name < b.name ? -1 : 1));
  } finally {
    await tryDocker(['rmi', '--force', ...drafts]);
  }
}

async function build(
  init: BuildImagesInit,
  base: string,
  context: string,
  service: ImageService,
  tag: string,
): Promise<void> {
  const buildArgs = Object.entries({ BASE: base, REVISION: init.revision });
  const { code, stdout, stderr } = await tryDocker(
    [
      'build',
      ...['--file', join(context, imageFolders[service], 'Dockerfile')],
      ...['--platform', `linux/${init.architecture}`],
      ...['--tag', tag],
      ...buildArgs.flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
      // The cache of the old builder does not separate architectures.
      ...(init.useCache && init.architecture === nativeArchitecture() ? [] : ['--no-cache']),
      context,
    ],
    { workingDirectory: context },
  );
  if (code === 0) return;
  const reason = [...stdout.split('\n'), ...stderr.split('\n')].filter((line) => line.trim() !== '').at(-1);
  throw new Error(`${service} cannot be built: ${reason}`);
}

async function idOf(name: string): Promise<string | undefined> {
  const { code, stdout } = await tryDocker(['image', 'inspect', '--format', '{{.Id}}', name]);
  return code === 0 ? stdout.trim() : undefined;
}

async function load({ archive }: NormalisedImages): Promise<void> {
  const child = spawn('docker', ['load', '--quiet'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(child, 'close') as Promise<[number | null]>;
  await pipeline(Readable.from(archive), child.stdin);
  const [code] = await ended;
  if (code !== 0) throw new Error('the engine does not load the images');
}
