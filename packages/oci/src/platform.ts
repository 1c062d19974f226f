import type { Descriptor } from './descriptor.ts';

/** What an image runs on, in the words of Go. */
export interface Platform {
  readonly os: string;
  readonly architecture: string;
  /** Of the architecture, such as `v8`. */
  readonly variant?: string;
}

const architectures: Readonly<Record<string, string>> = {
  x64: 'amd64',
  arm: 'arm',
  arm64: 'arm64',
  riscv64: 'riscv64',
};

/** The platform of images for a machine whose Node.js calls its architecture so. */
export function platformOfNode(architecture: string): Platform {
  return { os: 'linux', architecture: architectures[architecture] ?? architecture };
}

/** `linux/arm64/v8` */
export function formatPlatform({ os, architecture, variant }: Platform): string {
  return [os, architecture, ...(variant === undefined ? [] : [variant])].join('/');
}

/** Whether an image for `offered` runs on `wanted`. Where one of them says no variant, every one will do. */
export function matchesPlatform(offered: Platform, wanted: Platform): boolean {
  if (offered.os !== wanted.os || offered.architecture !== wanted.architecture) return false;
  const [left, right] = [variantOf(offered), variantOf(wanted)];
  return left === undefined || right === undefined || left === right;
}

/** The manifest for a platform; one that says no platform only when no other matches. */
export function selectManifest(manifests: readonly Descriptor[], wanted: Platform): Descriptor | undefined {
  const fits = manifests.filter(
    ({ platform }) => platform !== undefined && matchesPlatform(platform, wanted),
  );
  const exact = fits.find(
    ({ platform }) => platform !== undefined && variantOf(platform) === variantOf(wanted),
  );
  return exact ?? fits[0] ?? manifests.find(({ platform }) => platform === undefined);
}

/** Every 64-bit ARM is a v8. */
function variantOf({ architecture, variant }: Platform): string | undefined {
  return architecture === 'arm64' ? (variant ?? 'v8') : variant === '' ? undefined : variant;
}
