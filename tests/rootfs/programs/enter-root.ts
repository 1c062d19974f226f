import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Why no program can run in the root of a machine; false when one can. */
export const cannotEnter: string | false = (() => {
  if (process.getuid?.() !== 0) return 'the root of a machine is entered with mounts: run as root';
  const { status, stderr, error } = spawnSync('unshare', ['--mount', '--pid', '--net', '--fork', 'true']);
  return status === 0 ? false : `no namespaces can be made here: ${error?.message ?? String(stderr).trim()}`;
})();

/**
 * Makes the mounts of a machine around the root, which is read-only as there. `$work` has the same path inside, and
 * `$work/rootfs` is the root without these mounts.
 */
const script = `set -e
root=$1 work=$2
shift 2
mkdir -p "$root$work"
mount --bind "$root" "$root"
mount --bind "$root" "$work/rootfs"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
for name in run tmp var; do mount -t tmpfs tmpfs "$root/$name"; done
mkdir -p "$root$work"
mount --rbind "$work" "$root$work"
if [ -e "$work/netns" ]; then unshare --net="$root$work/netns" true; fi
exec chroot "$root" "$@"
`;

export interface Entry {
  /** The root of a machine, as a folder. */
  readonly root: string;
  /** An existing folder that is visible inside with the same path. */
  readonly work: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** With a network namespace of its own; with a file `netns` in `work`, that becomes a second one. */
  readonly ownNetwork?: boolean;
}

/** The arguments of `unshare` that run a program in the root. Everything ends with the process. */
function wordsOf({ root, work, ownNetwork = false }: Entry, command: readonly string[]): string[] {
  mkdirSync(join(work, 'rootfs'), { recursive: true });
  // With its own /proc, because `unshare --net=` in the script looks itself up there.
  const namespaces = [
    '--mount',
    '--propagation',
    'private',
    '--pid',
    '--fork',
    '--mount-proc',
    '--kill-child',
  ];
  if (ownNetwork) namespaces.push('--net');
  return [...namespaces, ...['sh', '-c', script, 'enter', root, work], ...command];
}

const environmentOf = ({ environment = {} }: Entry) => ({
  PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  ...environment,
});

/** Starts a program in the root. */
export function startInRoot(entry: Entry, command: readonly string[], output: number): ChildProcess {
  return spawn('unshare', wordsOf(entry, command), {
    env: environmentOf(entry),
    stdio: ['ignore', output, output],
  });
}

/**
 * Runs a program in the root and returns what it printed.
 *
 * @throws Error with everything that it printed
 */
export function runInRoot(entry: Entry, command: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('unshare', wordsOf(entry, command), {
    env: environmentOf(entry),
    encoding: 'utf8',
    input,
    timeout: 60_000,
  });
  if (status !== 0) throw new Error(`${command.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}
