import { dirname } from 'node:path';
import { containerPaths, nodePaths, serviceUsers } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import type { FileOwner } from '@nodewright/files';
import type { World } from './domain/world.ts';
import type { Folder } from './host/prepare-folder.ts';

type NodePath = keyof typeof nodePaths;

/** The paths of one node on this host, with their modes and owners. */
export interface NodeLayout {
  /** The node's root folder, absolute, without a trailing slash: `` for `/`. */
  readonly root: string;
  readonly paths: Readonly<Record<NodePath, string>>;
  /** Mode of the folder of machined's socket. */
  readonly socketDirectoryMode: number;
  /** Mode of the sockets for daemons; by default only their owner may use them. */
  readonly socketMode?: number;
  /** Mode of the folders that belong to one daemon. */
  readonly daemonFolderMode: number;
  /** Owners of the files that a daemon uses; `undefined` when everything belongs to the user who runs the node. */
  readonly users?: Readonly<Record<'apid' | 'trustd' | 'registryd' | 'udevd-bridge', FileOwner>>;
}

/** The user that machined runs as. */
export interface ProcessUser {
  readonly uid: number;
  readonly groups: readonly number[];
}

const groupModes = {
  socketDirectoryMode: 0o750,
  socketMode: 0o660,
  daemonFolderMode: 0o750,
} as const;

/**
 * Decides paths, modes and owners. In a container or on a machine, as root, the daemons have users of their
 * own and reach a socket as owners of its folder. Without root, the daemons run in containers of their
 * own and reach the sockets through their groups, so machined must be in these groups. A node of processes
 * belongs to one user, and other users have no access. Source: Talos v1.14: sockets.
 *
 * @throws Fault when machined is not in the groups of the daemons.
 */
export function nodeLayout(
  root: string,
  world: Pick<World, 'isGuest' | 'runsDaemons' | 'runsUdevd'> & Partial<Pick<World, 'isImage'>>,
  { uid, groups }: ProcessUser,
): NodeLayout {
  const prefix = root.replace(/\/+$/, '');
  const paths = Object.fromEntries(
    Object.entries(world.isImage ? { ...nodePaths, ...containerPaths } : nodePaths).map(([name, path]) => [
      name,
      prefix + path,
    ]),
  ) as Record<NodePath, string>;
  const { apid, trustd, registryd, 'udevd-bridge': bridge } = serviceUsers;
  const own = { root: prefix, paths, socketDirectoryMode: 0o700, daemonFolderMode: 0o700 };
  if (world.isGuest) return own;
  if (uid === 0) {
    const ownerOf = (id: number) => ({ uid: id, gid: id });
    const users = {
      ...{ apid: ownerOf(apid), trustd: ownerOf(trustd), registryd: ownerOf(registryd) },
      // On a machine udevd-bridge runs udevd, which needs root.
      'udevd-bridge': ownerOf(world.runsUdevd ? 0 : bridge),
    };
    return { ...own, socketDirectoryMode: 0o771, users };
  }
  // Daemons that machined starts have the same user as machined here.
  if (world.runsDaemons) return own;
  const missing = [apid, trustd, registryd, bridge].filter((group) => !groups.includes(group));
  if (missing.length > 0) {
    throw new Fault(
      'failed-precondition',
      `user ${uid} is not in the groups of the daemons that share sockets with machined: add it to ${missing.join(' and ')}`,
    );
  }
  const sharedWith = (gid: number) => ({ uid, gid });
  const users = {
    ...{ apid: sharedWith(apid), trustd: sharedWith(trustd), registryd: sharedWith(registryd) },
    'udevd-bridge': { uid: bridge, gid: bridge },
  };
  return { ...own, ...groupModes, users };
}

/**
 * The folders of the sockets, parents first: a daemon with a user of its own passes through the parents and
 * owns only its own folder. Source: Talos v1.14: directories.
 */
export function nodeFolders(layout: NodeLayout): Folder[] {
  const { paths, socketDirectoryMode, users } = layout;
  const linkFolder = dirname(paths.upstreamMachinedSocket);
  return [
    { path: dirname(linkFolder), mode: users === undefined ? 0o700 : 0o751 },
    { path: linkFolder, mode: socketDirectoryMode, owner: users?.apid },
    { path: dirname(paths.machinedSocket), mode: socketDirectoryMode, owner: users?.apid },
  ];
}
