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
 * An open folder of the node. Everything in it is reached by its name through the folder's descriptor, and no link is
 * followed: whatever takes the place of a folder on the way meanwhile, nothing outside of the node's root is reached.
 * Names and paths are byte strings. Every failure is a Fault that names the path on the node.
 *
 * The calls that return at once are for many files in a row, of a folder that has just answered; the others leave the
 * event loop alone however long a file system takes.
 */
export interface NodeFolder extends Disposable {
  /** On the node: absolute, clean, without links at the time it was opened. */
  readonly path: string;
  pathOf(name: string): string;
  stat(name: string): FileStat;
  statLater(name: string): Promise<FileStat>;
  /** Target of a symbolic link, as bytes. */
  readLink(name: string): string;
  /** Undefined for what is there and is no link. */
  readLinkLater(name: string): Promise<string | undefined>;
  /** What is in it, in the order of bytes. */
  names(): Promise<string[]>;
  /** Opens a folder in it, under its path on the node. The caller disposes. */
  enter(name: string): NodeFolder;
  /** The same; undefined for what is there and is no folder. */
  enterLater(name: string): Promise<NodeFolder | undefined>;
  /** Opens for reading without waiting, also where a pipe is. The caller closes. */
  open(name: string): NodeFile;
  /** For a system call on the name itself, as long as the folder is open. */
  hostPath(name: string): HostPath;
  /** Whether the name has the same path on this machine as on the node. */
  isOfMachine(name: string): boolean;
}

/** What a node shows of the machine that it is on. */
export interface NodeView {
  /** Whether its root is a folder of a host, whose folders of the kernel it shows. */
  readonly isFolder: boolean;
  /** Files whose content is the node's own and not the kernel's, by path. All are below `/proc`. */
  readonly contents: () => ReadonlyMap<string, string>;
}

const latin1 = 'latin1';
const openLater = promisify(open);
/** Opens a name without any right to its content, and never a link. O_PATH has no name in Node.js. */
const folderFlags = 0o10000000 | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** @param descriptor of the folder; closed with it */
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
        `"${textFromBytes(pathOf(name))}" belongs to the host of this node, which does not show it`,
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
        // Names in latin1 are bytes; one-byte strings are also the smallest form of a hundred thousand of them.
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
 * @param root absolute, without a slash at its end: `` for `/`
 */
export async function openNodeRoot(root: string, contents: NodeView['contents']): Promise<NodeFolder> {
  const descriptor = await openLater(root === '' ? '/' : root, folderFlags);
  return nodeFolder('/', descriptor, { isFolder: root !== '', contents });
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
