import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { Fault } from '@nodewright/fault';
import { type Platform, parsePlatform } from '@nodewright/oci';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { Progress } from '../../context/progress.ts';
import type { CachedImageFacts } from '../../image-cache/cache-images.ts';
import type { OutputOptions } from '../../nodes/node-options.ts';
import { TransferProgress } from '../../nodes/transfer-progress.ts';
import { writeDocument } from '../../render/document.ts';
import { printableCell } from '../../render/printable.ts';
import { formatDecimalSize } from '../../render/size.ts';
import { addImageCommand } from './image-options.ts';

interface CacheCreateOptions extends OutputOptions {
  readonly images: readonly string[];
  readonly imageCachePath: string;
  readonly imageLayerCachePath?: string;
  readonly layout: 'oci' | 'flat';
  /** `undefined`: all. */
  readonly platform: Platform | undefined;
  readonly insecure: boolean;
  readonly force: boolean;
  readonly cosignSignatures: boolean;
}

/** `talosctl image cache-create`: downloads images into a folder for the image cache of nodes. Source: Talos v1.14: image commands. */
export function defineImageCacheCreate(image: Command, env: CliEnvironment): void {
  addImageCommand(image, 'cache-create', 'Download images into a folder for the image cache of nodes')
    .requiredOption(
      '--images <images>',
      'references of the images, with commas; - reads them from stdin',
      parseList,
    )
    .requiredOption('--image-cache-path <path>', 'folder of the cache')
    .option('--image-layer-cache-path <path>', 'folder in which layers are kept for later caches')
    .addOption(
      new Option(
        '--layout <layout>',
        'oci, one image that can be pushed to a registry, or flat, a file for each blob',
      )
        .choices(['oci', 'flat'])
        .default('oci'),
    )
    .addOption(
      new Option('--platform <platform>', 'platform such as linux/arm64, or all')
        .argParser(platformFrom)
        .default({ os: 'linux', architecture: 'amd64' }, 'linux/amd64'),
    )
    .option('--insecure', 'accept registries without a valid certificate', false)
    .option(
      '--force',
      'replace a cache with the layout oci; download again what one with the layout flat has',
      false,
    )
    .addOption(new Option('--cosign-signatures').default(true).hideHelp())
    .option('--no-cosign-signatures', 'leave out the signatures of cosign')
    .action((_: CacheCreateOptions, command: Command) => createCache(env, command.optsWithGlobals()));
}

async function createCache(env: CliEnvironment, options: CacheCreateOptions): Promise<void> {
  const [{ openDistributionClient, ownEndpoints, parseImageReference }, { cacheImage }] = await Promise.all([
    import('@nodewright/oci'),
    import('../../image-cache/cache-images.ts'),
  ]);
  const named = options.images.includes('-') ? (await readText(env.stdin)).split(/\s+/) : options.images;
  const references = named.filter((text) => text !== '').map(parseImageReference);
  if (references.length === 0) throw new Fault('invalid-argument', 'no images: name them with --images');
  const layers = options.imageLayerCachePath;
  const path = resolve(env.cwd, options.imageCachePath);
  const isPacked = options.layout === 'oci';
  if (isPacked && !options.force && existsSync(join(path, 'index.json')))
    throw new Fault(
      'already-exists',
      `"${options.imageCachePath}" has an image cache already: flag --force replaces it`,
    );
  // A run that was interrupted is continued by the next one.
  const folder = isPacked ? `${path}.unfinished` : path;
  using client = openDistributionClient({
    telemetry: await env.telemetry(),
    endpointsOf: (registry) =>
      ownEndpoints(registry).map((endpoint) =>
        options.insecure ? { ...endpoint, tls: { skipsVerification: true } } : endpoint,
      ),
  });
  const transfer = new TransferProgress();
  const seen = { planned: 0, image: '' };
  using progress = new Progress(env.stderr, () => `${seen.image}: ${transfer.text}`);
  const found: CachedImageFacts[] = [];
  for (const [index, reference] of references.entries()) {
    seen.image = `image ${index + 1} of ${references.length}`;
    const facts = await cacheImage(reference, {
      ...{ client, folder, signal: env.signal },
      layerFolder: layers === undefined ? undefined : resolve(env.cwd, layers),
      ...{ platform: options.platform, force: options.force, withSignatures: options.cosignSignatures },
      onPlanned: (bytes) => {
        seen.planned += bytes;
        transfer.set(transfer.bytes, seen.planned);
      },
      onStored: (bytes) => transfer.add(bytes),
    });
    found.push(facts);
    progress.pause();
    if (options.output === 'table')
      env.stderr.write(`cached ${printableCell(facts.image)} (${formatDecimalSize(BigInt(facts.bytes))})\n`);
  }
  if (isPacked) {
    seen.image = 'packing';
    const platform = options.platform ?? { os: 'linux', architecture: 'amd64' };
    const { packLayout } = await import('../../image-cache/pack-layout.ts');
    await packLayout({ ...{ flat: folder, folder: path, platform }, signal: env.signal });
    await rm(folder, { recursive: true, force: true });
  }
  progress[Symbol.dispose]();
  if (options.output !== 'table') await writeDocument(env.stdout, options.output, found);
}

const parseList = (value: string, before: readonly string[] = []) => [...before, ...value.split(',')];

function platformFrom(value: string): Platform | undefined {
  const found = value === 'all' ? undefined : parsePlatform(value);
  if (found === undefined && value !== 'all')
    throw new InvalidArgumentError('It must be a platform such as linux/arm64, or all.');
  return found;
}
