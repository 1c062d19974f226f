import type { Folder } from '../../base/host/prepare-folder.ts';
import type { NodeLayout } from '../../base/node-layout.ts';
import { type ChildDaemon, daemonFolderPaths } from '../domain/daemon-command.ts';

/**
 * The folders of a daemon, which must exist before it starts. If the daemon has a user of its own, this user
 * owns them.
 */
export function daemonFolders(layout: NodeLayout, daemon: ChildDaemon): Folder[] {
  const { root, daemonFolderMode, users } = layout;
  const owner = users?.[daemon];
  return daemonFolderPaths(daemon).map((path) => ({ path: root + path, mode: daemonFolderMode, owner }));
}

/** The path of the log file that a daemon in a container of its own may share with machined. */
export function neighbourLogFile({ paths }: NodeLayout, daemon: ChildDaemon): string {
  return `${paths.logs}/${daemon}/${daemon}.log`;
}
