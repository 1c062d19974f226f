// A folder that is missing at its path may have been moved, or its file system unmounted. Only a folder that was removed
// has no link left.

/** What one look at the folder of a running cluster has found. */
export type FolderLook =
  | { readonly kind: 'found' }
  | { readonly kind: 'unreadable'; readonly error: string }
  | {
      /** `state.yaml` is not at its path. The rest is about the folder that was opened while it was in place. */
      readonly kind: 'missing';
      readonly links: number;
      /** It had links while it was in place. Some file systems of FUSE always report none. */
      readonly countsLinks: boolean;
      readonly isInPlace: boolean;
      /** Where the kernel sees the folder now, if it can be reached. */
      readonly path?: string;
    };

export type FolderFate =
  | { readonly kind: 'kept' }
  | { readonly kind: 'removed' }
  /** The folder has no `state.yaml`: its removal may have begun. */
  | { readonly kind: 'emptied'; readonly reason: string }
  /** It cannot be read, which may pass. */
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** Nothing is known about the intention of the user, so nothing of the cluster may be removed. */
  | { readonly kind: 'lost'; readonly reason: string };

/** Judges a look. Whatever is not clearly a removal counts as lost. */
export function folderFate(look: FolderLook): FolderFate {
  if (look.kind === 'found') return { kind: 'kept' };
  if (look.kind === 'unreadable')
    return { kind: 'unreadable', reason: `the folder cannot be read: ${look.error}` };
  if (look.links === 0 && look.countsLinks) return { kind: 'removed' };
  if (look.isInPlace) return { kind: 'emptied', reason: 'the folder is in its place, but has no state.yaml' };
  if (look.path !== undefined) return { kind: 'lost', reason: `the folder was moved to ${look.path}` };
  const why = look.countsLinks ? 'its file system was unmounted' : 'its file system does not count links';
  return { kind: 'lost', reason: `the folder is no longer at its path, and not known to be removed: ${why}` };
}
