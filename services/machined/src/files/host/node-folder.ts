import { closeSync, constants, lstatSync, open, openSync, readlinkSync } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { promisify } from 'node:util';
import { Fault } from '@nodewright/fault';
import { type BoundedCallOptions, type BoundedCalls, fileSystemAt } from '@nodewright/linux';
import { textFromBytes } from '../domain/byte-text.ts';
import { fileFault } from '../domain/file-fault.ts';
import { joinPath } from '../domain/node-path.ts';
import { hostFolders, isHiddenOnHost, isHostPath } from '../domain/shown-host-files.ts';
import { type FileStat, fileStat } from './file-stat.ts';
import { type HostPath, hostPathFromBytes } from './host-path.ts';
import type { MountsThatHang } from './mounts-that-hang.ts';
import { type NodeFile, openBytes, openNodeFile, openSlowFile } from './node-file.ts';

/**
 * An open folder of the node. Files in it are opened by name through the folder's descriptor, and no link is
 * followed. So no file outside of the node's root is reached, even if a folder on the way is replaced. Names
 * and paths are byte strings. Every failure is a Fault that names the path on the node.
 *
 * Synchronous calls are for many files in a row, on local file systems. They are refused where `mayHang` is true. The others do
 * not block the event loop, and where a file system may hang they have a time limit: the Fault `deadline-exceeded` names the mount.
 */
export interface NodeFolder extends Disposable {
  /** The path on the node: absolute, clean, without links at the time it was opened. */
  readonly path: string;
  pathOf(name: string): string;
  /** Whether the name is on a file system that may hang: one that is not local. */
  mayHang(name: string): boolean;
  /** The mount point of that file system on the node; `undefined` when it is local. */
  mountOf(name: string): string | undefined;
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
  /** Like `open`, for a file that may hang. Reading it has a time limit then, and is only possible with `readLater`. */
  openLater(name: string): Promise<NodeFile>;
  /** Makes a call on the name, with a time limit where it may hang. It occupies one thread at a time. */
  call<T>(name: string, call: () => Promise<T>, options?: BoundedCallOptions<T>): Promise<T>;
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
  readonly mounts: MountsThatHang;
  /** Makes the calls to file systems that may hang. */
  readonly bounded: BoundedCalls;
}

/** The view from an open root. */
interface RootedView extends NodeView {
  /** The path of the root on this machine, without links, as a byte string; empty for `/`. */
  readonly realRoot: string;
}

const latin1 = 'latin1';
/** A folder is read at once, and may have very many names. */
const namesTimeoutMs = 30_000;
/** Files of the kernel. Reading them may wait for a device or a lock without a time limit. */
const kernelFile = /^\/(proc|sys)\//;
export const isKernelFile = (path: string): boolean => kernelFile.test(path);
const openLater = promisify(open);
/**
 * Opens a folder without read permission on its content, and never follows a link. O_PATH is not defined in
 * Node.js.
 */
const folderFlags = 0o10000000 | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * @param descriptor of the folder, which closes it when it is disposed
 * @param mount the mount point of its file system on this machine, if that may hang
 */
function nodeFolder(
  path: string,
  descriptor: number,
  view: RootedView,
  mount: string | undefined,
): NodeFolder {
  const { isFolder, contents, mounts, bounded, realRoot } = view;
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
  /** The mount point on this machine. */
  const hangingMount = (name: string): string | undefined => {
    if (name === '.') return mount;
    const isHostFolder = ofHost || (path === '/' && isFolder && isOfMachine(name));
    const realPath = isHostFolder ? pathOf(name) : `${realRoot}${pathOf(name)}`;
    const mounted = mounts.at(realPath);
    if (mounted === undefined) return mount;
    return mounted === 'local' ? undefined : realPath;
  };
  const shownMount = (mountPoint: string): string => {
    if (ofHost || realRoot === '') return mountPoint;
    return mountPoint.startsWith(`${realRoot}/`) ? mountPoint.slice(realRoot.length) : '/';
  };
  const mountOf = (name: string) => {
    const found = hangingMount(name);
    return found === undefined ? undefined : shownMount(found);
  };
  const placeOf = (name: string): string | undefined => {
    const shown = mountOf(name);
    return shown === undefined ? undefined : fileSystemAt(textFromBytes(shown));
  };
  const call = <T>(name: string, work: () => Promise<T>, options?: BoundedCallOptions<T>): Promise<T> => {
    const place = placeOf(name);
    return place === undefined ? work() : bounded.run(place, work, options);
  };
  /** The path for a call that blocks the event loop. */
  const localPath = (name: string): HostPath => {
    const place = placeOf(name);
    if (place !== undefined) throw new Fault('internal', `${place} may hang: no synchronous call is allowed`);
    return hostPath(name);
  };
  const failed = (operation: string, name: string, error: unknown) =>
    fileFault(operation, pathOf(name), error);
  const stat = (name: string) => {
    try {
      return fileStat(lstatSync(localPath(name)));
    } catch (error) {
      throw failed('lstat', name, error);
    }
  };

  return {
    path,
    pathOf,
    hostPath,
    isOfMachine,
    mayHang: (name) => hangingMount(name) !== undefined,
    mountOf,
    call,
    stat,
    async statLater(name) {
      try {
        return fileStat(await call(name, () => lstat(hostPath(name))));
      } catch (error) {
        throw failed('lstat', name, error);
      }
    },
    readLink(name) {
      try {
        return readlinkSync(localPath(name), { encoding: 'buffer' }).toString(latin1);
      } catch (error) {
        throw failed('readlink', name, error);
      }
    },
    async readLinkLater(name) {
      try {
        const target = await call(name, () => readlink(hostPath(name), { encoding: 'buffer' }));
        return target.toString(latin1);
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
        names = await call('.', () => readdir(base, latin1), { timeoutMs: namesTimeoutMs });
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
        return nodeFolder(pathOf(name), openSync(localPath(name), folderFlags), view, undefined);
      } catch (error) {
        throw failed('open', name, error);
      }
    },
    async enterLater(name) {
      try {
        const inner = hangingMount(name);
        const opened = await call(name, () => openLater(hostPath(name), folderFlags), { release: closeSync });
        return nodeFolder(pathOf(name), opened, view, inner);
      } catch (error) {
        if (hasCode(error, 'ENOTDIR')) return undefined;
        throw failed('open', name, error);
      }
    },
    open(name) {
      const at = pathOf(name);
      const content = at.startsWith('/proc/') ? contents().get(at) : undefined;
      if (content !== undefined) return openBytes(Buffer.from(content), stat(name));
      return openNodeFile(at, localPath(name));
    },
    async openLater(name) {
      const at = pathOf(name);
      const isOfKernel = isKernelFile(at) && isOfMachine(name);
      const place = placeOf(name) ?? (isOfKernel ? `the file "${textFromBytes(at)}"` : undefined);
      if (place === undefined || contents().has(at)) return this.open(name);
      return await openSlowFile(at, hostPath(name), place, bounded);
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
export async function openNodeRoot(root: string, view: Omit<NodeView, 'isFolder'>): Promise<NodeFolder> {
  const descriptor = await openLater(root === '' ? '/' : root, folderFlags);
  const isFolder = root !== '';
  const realRoot = isFolder ? readlinkSync(`/proc/self/fd/${descriptor}`, 'buffer').toString(latin1) : '';
  return nodeFolder('/', descriptor, { ...view, isFolder, realRoot }, view.mounts.above(realRoot));
}

function hasCode(error: unknown, code: string): boolean {
  return (error as NodeJS.ErrnoException).code === code;
}
