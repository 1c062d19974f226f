// An engine has a single store of images, and images have no labels for an owner. So a node holds an image by
// a tag of its own, in a domain that never resolves. To remove a cluster, remove its tags.
import { createHash } from 'node:crypto';
import { formatImageReference, type ImageReference, parseImageReference } from '@nodewright/oci';
import type { NamespaceName } from '../container-runtime.ts';
import type { Scope } from './ownership.ts';

/** The beginning of every tag by which nodes hold images. The domain is reserved. Source: RFC 2606. */
export const ownedDomain = 'nodewright.invalid';

/**
 * The beginning of the tags of all nodes of a cluster. It encodes the name, which may contain characters that
 * references may not.
 */
export function ownedByCluster(cluster: string): string {
  return `${ownedDomain}/${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}/`;
}

/** Parses a reference; with a digest, its tag has no meaning. Throws a Fault `invalid-argument`. */
export function readReference(text: string): ImageReference {
  const { registry, repository, tag, digest } = parseImageReference(text);
  return digest === undefined ? { registry, repository, tag } : { registry, repository, digest };
}

/**
 * Why a tag exists: it holds an image, it only records the digest of a repository, or it exists during the
 * import of one archive.
 */
export type Purpose = 'held' | 'digest' | `taken-${string}`;

/** The tag by which a node holds the image that it knows by `reference`. */
export function ownedReference(
  scope: Scope,
  namespace: NamespaceName,
  purpose: Purpose,
  { registry, repository, tag, digest }: ImageReference,
): { readonly repo: string; readonly tag: string } {
  return {
    repo: `${prefixOf(scope, namespace, purpose)}${escapeHost(registry)}/${repository}`,
    tag: digest === undefined ? (tag ?? 'latest') : digest.replace(':', '-'),
  };
}

/** The reference that a tag of the node stands for; undefined for a tag of another owner. */
export function referenceOfOwned(
  scope: Scope,
  namespace: NamespaceName,
  purpose: Purpose,
  owned: string,
): ImageReference | undefined {
  const prefix = prefixOf(scope, namespace, purpose);
  const [, host = '', repository = '', tag = ''] =
    /^([^/]+)\/(.+):([^:/]+)$/.exec(owned.slice(prefix.length)) ?? [];
  if (!owned.startsWith(prefix) || repository === '') return undefined;
  const [, hex] = /^sha256-([0-9a-f]{64})$/.exec(tag) ?? [];
  const which = hex === undefined ? { tag } : { digest: `sha256:${hex}` };
  return { registry: unescapeHost(host), repository, ...which };
}

/** Whether two references are in the same repository. */
export function isSameRepository(one: ImageReference, other: ImageReference): boolean {
  return one.registry === other.registry && one.repository === other.repository;
}

export { formatImageReference as referenceText };

function prefixOf({ cluster, node }: Scope, namespace: NamespaceName, purpose: Purpose): string {
  return `${ownedByCluster(cluster)}${node}/${namespace}/${purpose}/`;
}

const isPathComponent = /^[a-z0-9]+(?:(?:\.|-+)[a-z0-9]+)*$/;

/** A path may contain neither a port nor capital letters: such a host is encoded in hexadecimal. */
function escapeHost(host: string): string {
  return isPathComponent.test(host) ? host : `x_${Buffer.from(host).toString('hex')}`;
}

function unescapeHost(escaped: string): string {
  return escaped.startsWith('x_') ? Buffer.from(escaped.slice(2), 'hex').toString() : escaped;
}
