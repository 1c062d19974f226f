import { type BoundedCalls, createBoundedCalls } from '@nodewright/linux';
import { fileFault } from '../domain/file-fault.ts';
import { type FoundName, type NamedFile, resolvePath } from '../domain/node-path.ts';
import { readMountsThatHang } from './mounts-that-hang.ts';
import { type NodeFolder, openNodeRoot } from './node-folder.ts';

/** A file of the node: its name in the open folder that contains it. Disposing closes the folder. */
export type FoundFile = FoundName<NodeFolder> & Disposable;

/** Read access to the files of the node, by absolute paths below its root, as byte strings. */
export interface NodeFiles {
  /**
   * Resolves a path and its links, which never lead out of the root, even if folders are moved meanwhile. The
   * caller disposes the result.
   *
   * @param operation the failed operation that messages name; default `lstat`
   *
   * @throws Fault with the text that Go has, and with the path on the node, when the file does not exist
   */
  find(path: string, operation?: string): Promise<FoundFile>;
}

export interface NodeFilesInit {
  /** The node's root, absolute, without a trailing slash: `` for `/`. */
  readonly root: string;
  /**
   * Contents of kernel files that are specific to the node, by path below `/proc`, such as the boot id of a
   * node that shares its kernel.
   */
  readonly contents?: () => ReadonlyMap<string, string>;
  /** Makes the calls to file systems that may hang; by default its own. */
  readonly bounded?: BoundedCalls;
}

/**
 * Opens the files of a node. If its root is a folder of a host, the folders `/dev`, `/proc` and `/sys` are
 * those of the host, without files that reveal something about other programs.
 */
export function createNodeFiles({
  root,
  contents = () => new Map(),
  bounded = createBoundedCalls(),
}: NodeFilesInit): NodeFiles {
  const mounts = readMountsThatHang();
  const tree = { openRoot: () => openNodeRoot(root, { contents, mounts, bounded }), look };
  return {
    async find(path, operation = 'lstat') {
      try {
        const found = await resolvePath(path, tree);
        return { ...found, [Symbol.dispose]: () => found.folder[Symbol.dispose]() };
      } catch (error) {
        throw failureOfPath(error, operation, path);
      }
    },
  };
}

async function look(folder: NodeFolder, name: string): Promise<NamedFile<NodeFolder>> {
  const inner = await folder.enterLater(name);
  if (inner !== undefined) return { kind: 'folder', folder: inner };
  const target = await folder.readLinkLater(name);
  return target === undefined ? { kind: 'other' } : { kind: 'link', target };
}

/** Reports the failure of one name as a failure of the whole path. */
function failureOfPath(error: unknown, operation: string, path: string): unknown {
  const { cause } = error as Error;
  return fileFault(operation, path, cause ?? error);
}
