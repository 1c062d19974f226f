// Parses the documents of an image. They come from an untrusted source, so every field is validated.
import { createHash } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import type { Descriptor } from './descriptor.ts';
import { isDigest } from './digest.ts';
import type { Platform } from './platform.ts';

/** Manifests of one image for several platforms. */
export interface ImageIndex {
  readonly manifests: readonly Descriptor[];
}

/** The parts of one image for one platform. */
export interface ImageManifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** The configuration that an image carries. Source: OCI image specification, image configuration. */
export interface ImageConfig {
  readonly platform: Platform;
  /** Digests of the uncompressed layers. */
  readonly diffIds: readonly string[];
  readonly process: ImageProcess;
}

/** The defaults for running the image. */
export interface ImageProcess {
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  /** `NAME=value` */
  readonly environment: readonly string[];
  readonly workingDirectory: string;
  readonly user: string;
}

type Json = Readonly<Record<string, unknown>>;

/** @throws Fault `data-loss` */
export function parseIndex(bytes: Uint8Array): ImageIndex {
  return { manifests: descriptorsFrom(objectFrom(bytes, 'index').manifests, 'index') };
}

/** @throws Fault `data-loss` */
export function parseManifest(bytes: Uint8Array): ImageManifest {
  const manifest = objectFrom(bytes, 'manifest');
  return {
    config: descriptorFrom(manifest.config, 'manifest'),
    layers: descriptorsFrom(manifest.layers, 'manifest'),
  };
}

/** @throws Fault `data-loss` */
export function parseImageConfig(bytes: Uint8Array): ImageConfig {
  const config = objectFrom(bytes, 'configuration');
  const inner = isObject(config.config) ? config.config : {};
  const rootfs = isObject(config.rootfs) ? config.rootfs : {};
  const diffIds = textsFrom(rootfs.diff_ids);
  const wrong = diffIds.find((id) => !isDigest(id));
  if (wrong !== undefined)
    throw new Fault(
      'data-loss',
      `the configuration of the image names a layer "${wrong}", which is not a digest`,
    );
  const variant = textFrom(config.variant);
  return {
    platform: {
      os: textFrom(config.os) || 'linux',
      architecture: textFrom(config.architecture),
      ...(variant === '' ? {} : { variant }),
    },
    diffIds,
    process: {
      entrypoint: textsFrom(inner.Entrypoint),
      command: textsFrom(inner.Cmd),
      environment: textsFrom(inner.Env),
      workingDirectory: textFrom(inner.WorkingDir) || '/',
      user: textFrom(inner.User),
    },
  };
}

/**
 * The chain id of each stack of layers, from the lowest layer up. Source: OCI image specification, layer
 * ChainID.
 */
export function chainIds(diffIds: readonly string[]): string[] {
  const chain: string[] = [];
  for (const diffId of diffIds) {
    const below = chain.at(-1);
    const stacked = below === undefined ? diffId : `sha256:${sha256(`${below} ${diffId}`)}`;
    chain.push(stacked);
  }
  return chain;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const textFrom = (value: unknown) => (typeof value === 'string' ? value : '');

function textsFrom(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function objectFrom(bytes: Uint8Array, what: string): Json {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isObject(value)) return value;
  } catch {
    // Said below.
  }
  throw new Fault('data-loss', `the ${what} of the image is no JSON object`);
}

function descriptorsFrom(value: unknown, what: string): Descriptor[] {
  if (!Array.isArray(value)) return [];
  return value.map((item) => descriptorFrom(item, what));
}

function descriptorFrom(value: unknown, what: string): Descriptor {
  const item = isObject(value) ? value : {};
  const { digest, size } = item;
  if (
    typeof digest !== 'string' ||
    !isDigest(digest) ||
    typeof size !== 'number' ||
    !Number.isSafeInteger(size) ||
    size < 0
  )
    throw new Fault('data-loss', `the ${what} of the image names content without a digest and size`);
  const platform = isObject(item.platform) ? item.platform : undefined;
  const variant = textFrom(platform?.variant);
  return {
    mediaType: textFrom(item.mediaType),
    digest,
    size,
    ...(isObject(item.annotations) ? { annotations: annotationsFrom(item.annotations) } : {}),
    ...(platform === undefined
      ? {}
      : {
          platform: {
            os: textFrom(platform.os),
            architecture: textFrom(platform.architecture),
            ...(variant === '' ? {} : { variant }),
          },
        }),
  };
}

function annotationsFrom(value: Json): Record<string, string> {
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, textFrom(text)]));
}
