import { Fault } from '@nodewright/fault';
import { type FileKind, fileKindOf } from './file-mode.ts';

/** The file types that a listing can be limited to, indexed by their values on the wire. Source: Talos v1.14: List. */
const kindsOfTypes: readonly FileKind[] = ['file', 'directory', 'symlink'];

/** Decides which files a listing shows and which folders it enters. */
export interface Listing {
  readonly maxDepth: number;
  shows(stMode: number): boolean;
  /** @param depth of the folder; that of the root is 0 */
  entersFolder(depth: number, stMode: number): boolean;
}

export interface ListingRequest {
  readonly recurse: boolean;
  readonly recursionDepth: number;
  readonly types: readonly number[];
}

/**
 * Plans how deep a listing goes. As upstream: a requested depth below `/` shows one level more, and a folder
 * that is not shown because of its type is always entered. Source: Talos v1.14: List.
 *
 * @throws Fault for an unknown file type
 */
export function planListing(root: string, { recurse, recursionDepth, types }: ListingRequest): Listing {
  const kinds = new Set(
    types.map((type) => {
      const kind = kindsOfTypes[type];
      if (kind === undefined) {
        throw new Fault(
          'invalid-argument',
          `unknown file type ${type}: 0 is a file, 1 a folder, 2 a symbolic link`,
        );
      }
      return kind;
    }),
  );
  const shows = (stMode: number) => kinds.size === 0 || kinds.has(fileKindOf(stMode) as FileKind);
  const maxDepth = maxDepthOf(root, recurse, recursionDepth);
  return {
    maxDepth,
    shows,
    entersFolder: (depth, stMode) => depth < maxDepth || !shows(stMode),
  };
}

function maxDepthOf(root: string, recurse: boolean, recursionDepth: number): number {
  if (!recurse) return 1;
  if (recursionDepth <= 0) return Number.POSITIVE_INFINITY;
  return root === '/' ? recursionDepth + 1 : recursionDepth;
}
