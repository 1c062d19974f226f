// File systems that hang, for real: of FUSE, in a mount namespace of their own, whose server does not answer. Other programs
// enter the namespace with nsenter.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** Why this machine cannot have such file systems; false when it can. */
export const noHangingMounts =
  spawnSync('unshare', ['--mount', 'test', '-c', '/dev/fuse']).status === 0
    ? false
    : 'file systems that hang need root, unshare and /dev/fuse';

export interface HangingMounts extends AsyncDisposable {
  /** The words before a command that runs in the mount namespace. */
  readonly enter: readonly string[];
}

export interface HangingMountsInit {
  /** Folders that become mount points of file systems that never answer, as those of a server that is away. */
  readonly dead: readonly string[];
  /**
   * Folders that become mount points of file systems that answer, except for some files: `unreadable` never delivers its content,
   * `unseen` not even its attributes, and `open` does not return for `unopened`. The others are `first` and `inner/last`.
   */
  readonly partial: readonly string[];
}

/** Mounts the file systems. They end with the returned object: then every call to them fails. */
export async function openHangingMounts({ dead, partial }: HangingMountsInit): Promise<HangingMounts> {
  const words = [...dead.map((path) => `dead:${path}`), ...partial.map((path) => `partial:${path}`)];
  const server = `${import.meta.dirname}/fuse-server.ts`;
  const child: ChildProcess = spawn('unshare', ['--mount', process.execPath, server, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const ready = child.stdout === null ? undefined : once(child.stdout, 'data');
  await Promise.race([ready, ended.then(() => Promise.reject(new Error('the server of FUSE has ended')))]);
  return {
    enter: ['nsenter', '--mount', `--target=${child.pid}`, '--'],
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
