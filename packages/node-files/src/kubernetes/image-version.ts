/** A minor version of Kubernetes; the patch version never decides a flag. */
export interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
}

/** Counts as newer than every version. */
const newest: KubernetesVersion = { major: Number.MAX_SAFE_INTEGER, minor: Number.MAX_SAFE_INTEGER };

/**
 * The version that the tag of an image names, whatever is inside. An image without such a tag counts as the newest.
 * Source: Talos v1.14: versions of Kubernetes features.
 */
export function versionOfImage(image: string): KubernetesVersion {
  const [, major, minor] = /^v?(\d+)\.(\d+)(?:\.\d+)?(?:[-+].*)?$/.exec(tagOfImage(image)) ?? [];
  if (major === undefined || minor === undefined) return newest;
  return { major: Number(major), minor: Number(minor) };
}

/** The tag of an image without a digest; empty when it has none. A port of the registry is no tag. */
export function tagOfImage(image: string): string {
  const [name = ''] = image.split('@');
  return /:([^:/]+)$/.exec(name)?.[1] ?? '';
}
