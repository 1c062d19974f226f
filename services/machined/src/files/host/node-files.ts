import { fileFault } from '../domain/file-fault.ts';
import { type FoundName, type NamedFile, resolvePath } from '../domain/node-path.ts';
import { type NodeFolder, openNodeRoot } from './node-folder.ts';

/** A file of the node: its name in the open folder that it is in. Disposing closes the folder. */
export type FoundFile = FoundName<NodeFolder> & Disposable;

/** The files of the node, by absolute paths below its root, as byte strings. Nothing is ever written. */
export interface NodeFiles {
  /**
   * Follows the links of a path, which never lead out of the root, however its folders move meanwhile. The caller
   * disposes what was found.
   *
   * @param operation what failed, in the words of the message; default `lstat`
   * @throws Fault in the words of the reference when nothing is there; it names the path on the node
   */
  find(path: string, operation?: string): Promise<FoundFile>;
}

export interface NodeFilesInit {
  /** The node's root, absolute, without a slash at its end: `` for `/`. */
  readonly root: string;
  /** Files whose content is the node's own and not the kernel's, by path below `/proc`: the boot id of a node that is no machine. */
  readonly contents?: () => ReadonlyMap<string, string>;
}

/**
 * The files of a node. Where its root is a folder of a host, the kernel's folders are those of the host, without what
 * tells about other programs of the host.
 */
export function createNodeFiles({ root, contents = () => new Map() }: NodeFilesInit): NodeFiles {
  const tree = { openRoot: () => openNodeRoot(root, contents), look };
  return {
    async find(path, operation = 'lstat') {
      try {
        const found = await resolvePath(path, tree);
        return { ...found, [Symbol.dispose]: () => found.folder[Symbol.dispose]() };
      } catch (error) {
        throw inWordsOfCall(error, operation, path);
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

/** The failure of one name on the way is that of the whole path. */
function inWordsOfCall(error: unknown, operation: string, path: string): unknown {
  const { cause } = error as Error;
  return fileFault(operation, path, cause ?? error);
}
