import { type ImageReference, parseImageReference } from '@nodewright/oci';
import { refused } from './refused.ts';

/** What is at the path that a source names, if there is anything. */
export type PathKind = 'none' | 'folder' | 'layout folder' | 'squashfs' | 'archive' | 'other';

export type NamedSource =
  | { readonly kind: Exclude<PathKind, 'none' | 'other'>; readonly path: string }
  | { readonly kind: 'registry'; readonly reference: ImageReference };

/**
 * What a text names: a path that exists, or else an image of a registry. The name of an image begins with a registry, and has a
 * tag or a digest, so that a path with an error in it is not looked for in the network.
 *
 * @throws Fault `invalid-argument`
 */
export function namedSource(text: string, at: PathKind): NamedSource {
  if (at === 'other') throw refused('is neither a folder, a squashfs nor a tar archive of an OCI layout');
  if (at !== 'none') return { kind: at, path: text };
  const isReference = /^(?:localhost|[^/]*[.:][^/]*)\/.*[:@][^/]+$/.test(text) && !/^[./]/.test(text);
  if (!isReference)
    throw refused('does not exist, and is not the name of an image such as "registry.example/extension:v1"');
  return { kind: 'registry', reference: parseImageReference(text) };
}
