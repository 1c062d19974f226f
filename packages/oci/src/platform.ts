import type { Descriptor } from './descriptor.ts';

/** The platform of an image, in the terms of Go (GOOS, GOARCH). */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  /** The variant of the architecture, such as `v8`. */
  readonly variant?: string;
}

const architectures: Readonly<Record<string, string>> = {
  x64: 'amd64',
  arm: 'arm',
  arm64: 'arm64',
  riscv64: 'riscv64',
};

/** The image platform for an architecture name of Node.js. */
export function platformOfNode(architecture: string): Platform {
  return { os: 'linux', architecture: architectures[architecture] ?? architecture };
}

/** `linux/arm64/v8` */
export function formatPlatform({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(variant === undefined ? [] : [variant])].join('/');
}

/** Reads `linux/arm64` or `linux/arm64/v8`; `undefined` for another text. */
export function parsePlatform(text: string): Platform | undefined {
  const [, os, architecture, variant] = /^([a-z0-9]+)\/([a-z0-9]+)(?:\/([a-z0-9]+))?$/.exec(text) ?? [];
  if (os === undefined || architecture === undefined) return undefined;
  return { os, architecture, ...(variant === undefined ? {} : { variant }) };
}

/** Whether an image for `offered` runs on `wanted`. A missing variant matches every variant. */
export function matchesPlatform(offered: Platform, wanted: Platform): boolean {
  if (offered.os !== wanted.os || offered.architecture !== wanted.architecture) return false;
  const [left, right] = [variantOf(offered), variantOf(wanted)];
  return left === undefined || right === undefined || left === right;
}

/** The manifest for a platform. A manifest without a platform is used only when no other matches. */
export function selectManifest(manifests: readonly Descriptor[], wanted: Platform): Descriptor | undefined {
  const fits = manifests.filter(
    ({ platform }) => platform !== undefined && matchesPlatform(platform, wanted),
  );
  const exact = fits.find(
    ({ platform }) => platform !== undefined && variantOf(platform) === variantOf(wanted),
  );
  return exact ?? fits[0] ?? manifests.find(({ platform }) => platform === undefined);
}

/** Every 64-bit ARM is v8. */
function variantOf({ architecture, variant }: Platform): string | undefined {
  return architecture === 'arm64' ? (variant ?? 'v8') : variant === '' ? undefined : variant;
}
