import { dirname } from 'node:path';
import { nodePaths, serviceUsers } from '@nodewright/contract';
import { type ChildDaemon, daemonFolders } from './domain/daemon-command.ts';
import type { NodeMode } from './domain/node-facts.ts';
import type { Folder } from './host/make-folder.ts';
import type { FileOwner } from './host/write-file-atomically.ts';

type NodePath = keyof typeof nodePaths;

/** Where things of one node lie on this host, and whose they are. */
export interface NodeLayout {
  /** The node's root, absolute, without a slash at its end: `` for `/`. */
  readonly root: string;
  readonly paths: Readonly<Record<NodePath, string>>;
  /** Mode of the folder of machined's socket. */
  readonly socketDirectoryMode: number;
  /** The users of the daemons; none where everything belongs to the user who runs the node. */
  readonly users?: { readonly apid: FileOwner; readonly trustd: FileOwner };
}

/**
 * In a container or on a machine, as root, the daemons have users of their own and reach the socket by its folder's
 * owner. A node of processes belongs to one user, and nobody else gets in. Source: Talos v1.14: sockets.
 */
export function nodeLayout(root: string, mode: NodeMode, isRoot: boolean): NodeLayout {
  const prefix = root.replace(/\/+$/, '');
  const paths = Object.fromEntries(
    Object.entries(nodePaths).map(([name, path]) => [name, prefix + path]),
  ) as Record<NodePath, string>;
  if (mode === 'process' || !isRoot) return { root: prefix, paths, socketDirectoryMode: 0o700 };
  const owner = (id: number): FileOwner => ({ uid: id, gid: id });
  return {
    root: prefix,
    paths,
    socketDirectoryMode: 0o771,
    users: { apid: owner(serviceUsers.apid), trustd: owner(serviceUsers.trustd) },
  };
}

/**
 * The folders that sockets and runtime files lie in, the upper ones first: a daemon with a user of its own passes
 * through the upper ones and owns its own. Source: Talos v1.14: directories.
 */
export function nodeFolders(layout: NodeLayout, daemons: readonly ChildDaemon[]): Folder[] {
  const { root, paths, socketDirectoryMode, users } = layout;
  const linkFolder = dirname(paths.upstreamMachinedSocket);
  return [
    { path: dirname(linkFolder), mode: users === undefined ? 0o700 : 0o751 },
    { path: linkFolder, mode: socketDirectoryMode, owner: users?.apid },
    { path: dirname(paths.machinedSocket), mode: socketDirectoryMode, owner: users?.apid },
    ...daemons.flatMap((daemon) =>
      daemonFolders(daemon).map((path) => ({ path: root + path, mode: 0o700, owner: users?.[daemon] })),
    ),
  ];
}
