import { closeSync, constants, lstatSync, open, openSync, readlinkSync } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Fault } from '@nodewright/fault';
import { textFromBytes } from '../domain/byte-text.ts';
import { fileFault } from '../domain/file-fault.ts';
import { joinPath } from '../domain/node-path.ts';
import { hostFolders, isHiddenOnHost, isHostPath } from '../domain/shown-host-files.ts';
import { type FileStat, fileStat } from './file-stat.ts';
import { type HostPath, hostPathFromBytes } from './host-path.ts';
import { type NodeFile, openBytes, openNodeFile } from './node-file.ts';

/**
 * An open folder of the node. Files in it are opened by name through the folder's descriptor, and no link is
 * followed. So no file outside of the node's root is reached, even if a folder on the way is replaced. Names
 * and paths are byte strings. Every failure is a Fault that names the path on the node.
 *
 * Synchronous calls are for many files in a row, in a folder that has just answered. The others do not block
 * the event loop, however slow a file system is.
 */
export interface NodeFolder extends Disposable {
  /** The path on the node: absolute, clean, without links at the time it was opened. */
  readonly path: string;
  pathOf(name: string): string;
  stat(name: string): FileStat;
  statLater(name: string): Promise<FileStat>;
  /** Target of a symbolic link, as a byte string. */
  readLink(name: string): string;
  /** `undefined` when the file exists but is not a link. */
  readLinkLater(name: string): Promise<string | undefined>;
  /** The names in the folder, sorted by their bytes. */
  names(): Promise<string[]>;
  /** Opens a folder in this folder, under its path on the node. The caller disposes the result. */
  enter(name: string): NodeFolder;
  /** Like `enter`; `undefined` when the file exists but is not a folder. */
  enterLater(name: string): Promise<NodeFolder | undefined>;
  /** Opens a file for reading without blocking, even if it is a pipe. The caller closes the file. */
  open(name: string): NodeFile;
  /** A path for system calls on the name, valid while the folder is open. */
  hostPath(name: string): HostPath;
  /** Whether the name has the same path on this machine as on the node. */
  isOfMachine(name: string): boolean;
}

/** How a node relates to the machine that it runs on. */
export interface NodeView {
  /** Whether the node's root is a folder of a host; then the node shows `/dev`, `/proc` and `/sys` of the host. */
  readonly isFolder: boolean;
  /** Contents of kernel files that are specific to the node, by path. All of them are below `/proc`. */
  readonly contents: () => ReadonlyMap<string, string>;
}

const latin1 = 'latin1';
const openLater = promisify(open);
/**
 * Opens a folder without read permission on its content, and never follows a link. O_PATH is not defined in
 * Node.js.
 */
const folderFlags = 0o10000000 | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** @param descriptor of the folder, which closes it when it is disposed */
function nodeFolder(path: string, descriptor: number, view: NodeView): NodeFolder {
  const { isFolder, contents } = view;
  const ofHost = isFolder && isHostPath(path);
  const base = `/proc/self/fd/${descriptor}`;
  let isOpen = true;

  const pathOf = (name: string) => (name === '.' ? path : joinPath(path, name));
  const isOfMachine = (name: string) => !isFolder || ofHost || (path === '/' && hostFolders.includes(name));
  const hostPath = (name: string): HostPath => {
    if (ofHost && isHiddenOnHost(pathOf(name))) {
      throw new Fault(
        'permission-denied',
        `"${textFromBytes(pathOf(name))}" belongs to the host of this node and is hidden`,
      );
    }
    if (path === '/' && isFolder && isOfMachine(name)) return `/${name}`;
    return hostPathFromBytes(`${base}/${name}`);
  };
  const failed = (operation: string, name: string, error: unknown) =>
    fileFault(operation, pathOf(name), error);
  const stat = (name: string) => {
    try {
      return fileStat(lstatSync(hostPath(name)));
    } catch (error) {
      throw failed('lstat', name, error);
    }
  };

  return {
    path,
    pathOf,
    hostPath,
    isOfMachine,
    stat,
    async statLater(name) {
      try {
        return fileStat(await lstat(hostPath(name)));
      } catch (error) {
        throw failed('lstat', name, error);
      }
    },
    readLink(name) {
      try {
        return readlinkSync(hostPath(name), { encoding: 'buffer' }).toString(latin1);
      } catch (error) {
        throw failed('readlink', name, error);
      }
    },
    async readLinkLater(name) {
      try {
        return (await readlink(hostPath(name), { encoding: 'buffer' })).toString(latin1);
      } catch (error) {
        if (hasCode(error, 'EINVAL')) return undefined;
        throw failed('readlink', name, error);
      }
    },
    async names() {
      let names: string[];
      try {
        // Names in latin1 keep all bytes. One-byte strings also need the least memory for a large number of
        // names.
        names = await readdir(base, latin1);
      } catch (error) {
        throw failed('open', '.', error);
      }
      if (path === '/' && isFolder) {
        names = [...names.filter((name) => !hostFolders.includes(name)), ...hostFolders];
      } else if (ofHost) {
        names = names.filter((name) => !isHiddenOnHost(pathOf(name)));
      }
      return names.sort();
    },
    enter(name) {
      try {
        return nodeFolder(pathOf(name), openSync(hostPath(name), folderFlags), view);
      } catch (error) {
        throw failed('open', name, error);
      }
    },
    async enterLater(name) {
      try {
        return nodeFolder(pathOf(name), await openLater(hostPath(name), folderFlags), view);
      } catch (error) {
        if (hasCode(error, 'ENOTDIR')) return undefined;
        throw failed('open', name, error);
      }
    },
    open(name) {
      const at = pathOf(name);
      const content = at.startsWith('/proc/') ? contents().get(at) : undefined;
      if (content !== undefined) return openBytes(Buffer.from(content), stat(name));
      return openNodeFile(at, hostPath(name));
    },
    [Symbol.dispose]() {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

/**
 * Opens the node's root.
 *
 * @param root absolute, without a trailing slash: `` for `/`
 */
export async function openNodeRoot(root: string, contents: NodeView['contents']): Promise<NodeFolder> {
  const descriptor = await openLater(root === '' ? '/' : root, folderFlags);
  return nodeFolder('/', descriptor, { isFolder: root !== '', contents });
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
