import { lstatSync, readlinkSync } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';
import { textFromBytes } from '../domain/byte-text.ts';
import { fileFault, tooManyLinks } from '../domain/file-fault.ts';
import { resolvePath } from '../domain/node-path.ts';
import { hostFolders, isHiddenOnHost } from '../domain/shown-host-files.ts';
import { type FileStat, fileStat } from './file-stat.ts';
import { type HostPath, hostPathFromBytes } from './host-path.ts';
import { type NodeFile, openBytes, openNodeFile } from './node-file.ts';

/**
 * The files of the node, by absolute paths below its root, as byte strings. Every failure is a Fault in the words of
 * the reference, which names the path on the node. Nothing is ever written.
 *
 * The calls that return at once are for many files in a row, of a folder that has just answered; the others leave the
 * event loop alone however long a file system takes.
 */
export interface NodeFiles {
  /**
   * The path without links; links never lead out of the root. Throws when nothing is there.
   *
   * @param operation what failed then, in the words of the message; default `lstat`
   */
  resolve(path: string, operation?: string): Promise<string>;
  /** Does not follow a link. The folders on the way must not be links: `resolve` first. */
  stat(path: string): FileStat;
  statLater(path: string): Promise<FileStat>;
  /** Target of a symbolic link, as bytes. */
  readLink(path: string): string;
  /** Names in a folder, in the order of their bytes. */
  readFolder(path: string): Promise<string[]>;
  /** Opens for reading without waiting for anybody, also where a pipe is. The caller closes. */
  open(path: string): NodeFile;
  /** Where the path is on this machine, fit for a system call. */
  hostPath(path: string): HostPath;
}

export interface NodeFilesInit {
  /** The node's root, absolute, without a slash at its end: `` for `/`. */
  readonly root: string;
  /** Files whose content is the node's own and not the kernel's, by path: the boot id of a node that is no machine. */
  readonly contents?: () => ReadonlyMap<string, string>;
}

const latin1 = 'latin1';

/**
 * The files of a node. Where its root is a folder of a host, the kernel's folders are those of the host, without what
 * tells about other programs of the host.
 */
export function createNodeFiles({ root, contents = () => new Map() }: NodeFilesInit): NodeFiles {
  const isFolder = root !== '';
  const rootBytes = Buffer.from(root).toString(latin1);

  const isOfHost = (path: string) =>
    hostFolders.some((name) => path.startsWith(name, 1) && (path[name.length + 1] ?? '/') === '/');

  const hostPath = (path: string): HostPath => {
    if (!isFolder || isOfHost(path)) {
      if (isFolder && isHiddenOnHost(path)) {
        throw new Fault(
          'permission-denied',
          `"${textFromBytes(path)}" belongs to the host of this node, which does not show it`,
        );
      }
      return hostPathFromBytes(path);
    }
    return hostPathFromBytes(rootBytes + path);
  };

  const withFault = <T>(operation: string, path: string, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw fileFault(operation, path, error);
    }
  };
  const withFaultLater = async <T>(operation: string, path: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw fileFault(operation, path, error);
    }
  };

  const linkTarget = async (path: string): Promise<string | undefined> => {
    try {
      return (await readlink(hostPath(path), { encoding: 'buffer' })).toString(latin1);
    } catch (error) {
      // It is there and is no link.
      if ((error as NodeJS.ErrnoException).code === 'EINVAL') return undefined;
      throw error;
    }
  };

  return {
    hostPath,
    resolve: (path, operation = 'lstat') =>
      withFaultLater(operation, path, () => resolvePath(path, linkTarget, tooManyLinks)),
    stat: (path) => withFault('lstat', path, () => fileStat(lstatSync(hostPath(path)))),
    statLater: (path) => withFaultLater('lstat', path, async () => fileStat(await lstat(hostPath(path)))),
    readLink: (path) =>
      withFault('readlink', path, () =>
        readlinkSync(hostPath(path), { encoding: 'buffer' }).toString(latin1),
      ),
    async readFolder(path) {
      // Names in latin1 are bytes; one-byte strings are also the smallest form of a hundred thousand of them.
      const names: string[] = await withFaultLater('open', path, () => readdir(hostPath(path), latin1));
      if (!isFolder) return names.sort();
      const own = path === '/' ? names.filter((name) => !hostFolders.includes(name)) : names;
      const shown = isOfHost(path) ? own.filter((name) => !isHiddenOnHost(`${path}/${name}`)) : own;
      return [...shown, ...(path === '/' ? hostFolders : [])].sort();
    },
    open(path) {
      const content = contents().get(path);
      if (content !== undefined) return openBytes(Buffer.from(content), statOf(path));
      return openNodeFile(path, hostPath(path));
    },
  };

  function statOf(path: string): FileStat {
    return withFault('stat', path, () => fileStat(lstatSync(hostPath(path))));
  }
}
