import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemTimers } from '@nodewright/async';
import { removeInterruptedTasks } from '@nodewright/containers/interrupted-tasks';
import { eventually } from '@nodewright/testkit';
import { type ContainerdPrograms, ensureContainerd } from '../../tools/containerd/ensure-containerd.ts';

const checkout = join(import.meta.dirname, '..', '..');
const isContinuousIntegration = process.env.CI === 'true' || process.env.CI === '1';

/** Why no containerd can be started; false when one can. CI must have one. */
export const noContainerd: string | false = (() => {
  const reason = whyNot();
  return reason === undefined || isContinuousIntegration ? false : reason;
})();

function whyNot(): string | undefined {
  if (process.getuid?.() !== 0) return 'containerd makes mounts and cgroups: run as root';
  try {
    findPrograms();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** `NODEWRIGHT_CONTAINERD` names a folder with another containerd, its shim and runc. */
function findPrograms(): ContainerdPrograms {
  const folder = process.env.NODEWRIGHT_CONTAINERD;
  return folder === undefined
    ? ensureContainerd(checkout)
    : { folder, containerd: join(folder, 'containerd') };
}

/** A test's containerd in a temporary folder. Disposing stops it and everything that it has started. */
export interface TestContainerd extends AsyncDisposable {
  readonly folder: string;
  readonly socketPath: string;
  readonly logFolder: string;
  readonly runcRoot: string;
  /** A cgroup parent of its own, so that leftovers of a test in cgroups can be found. */
  readonly cgroupRoot: string;
  readonly programs: ContainerdPrograms;
  readonly pid: number;
  /** Kills it with SIGKILL; its tasks keep running. */
  kill(): Promise<void>;
  /** Starts it again on the same folders. */
  restart(): Promise<void>;
  /** Pids of the shims that it has started. */
  shims(): number[];
}

export interface StartContainerdInit {
  /** Size of a separate file system for all of its files. */
  readonly rootSizeBytes?: number;
}

/** Generous, for a busy machine. */
const timeoutMs = 60_000;
const disabledPlugins = [
  'io.containerd.grpc.v1.cri',
  'io.containerd.internal.v1.opt',
  'io.containerd.snapshotter.v1.aufs',
  'io.containerd.snapshotter.v1.blockfile',
  'io.containerd.snapshotter.v1.btrfs',
  'io.containerd.snapshotter.v1.devmapper',
  'io.containerd.snapshotter.v1.zfs',
];

export async function startContainerd({ rootSizeBytes }: StartContainerdInit = {}): Promise<TestContainerd> {
  const programs = findPrograms();
  const folder = mkdtempSync(join(tmpdir(), 'containerd-'));
  const paths = { root: join(folder, 'root'), state: join(folder, 'state'), log: join(folder, 'log') };
  const socketPath = join(folder, 'containerd.sock');
  mkdirSync(paths.root);
  if (rootSizeBytes !== undefined)
    mustRun('mount', ['-t', 'tmpfs', '-o', `size=${rootSizeBytes}`, 'containerd-test', paths.root]);
  const config = join(folder, 'config.toml');
  writeFileSync(
    config,
    `version = 2\nroot = "${paths.root}"\nstate = "${paths.state}"\n` +
      `disabled_plugins = ${JSON.stringify(disabledPlugins)}\n[grpc]\naddress = "${socketPath}"\n`,
  );
  let child: ChildProcess | undefined;
  /** How many times a containerd has started to serve here. */
  const boots = () =>
    existsSync(paths.log) ? readFileSync(paths.log, 'utf8').split('successfully booted').length : 1;

  async function start(): Promise<void> {
    // As machined does it.
    await removeInterruptedTasks(paths.state, systemTimers, AbortSignal.timeout(timeoutMs));
    const before = boots();
    const log = openSync(paths.log, 'a');
    child = spawn(programs.containerd, ['--config', config], {
      stdio: ['ignore', log, log],
      env: { PATH: `${programs.folder}:${process.env.PATH ?? ''}` },
      cwd: folder,
    });
    closeSync(log);
    const started = child;
    await eventually(
      () => {
        if (started.exitCode !== null) throw new Error('it has ended');
        return boots() > before;
      },
      { what: 'containerd', timeoutMs, explain: () => readFileSync(paths.log, 'utf8').slice(-2000) },
    );
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  const shims = () => processesWith(['-address', socketPath]);
  await start();
  return {
    folder,
    socketPath,
    logFolder: join(folder, 'logs'),
    runcRoot: join(folder, 'runc'),
    cgroupRoot: `/${folder.split('/').at(-1)}`,
    programs,
    get pid() {
      return child?.pid ?? 0;
    },
    kill: () => end('SIGKILL'),
    restart: start,
    shims,
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
      for (const state of runcStates(join(folder, 'runc')))
        spawnSync(join(programs.folder, 'runc'), ['--root', state.root, 'delete', '--force', state.id]);
      for (const pid of shims()) process.kill(pid, 'SIGKILL');
      await eventually(() => shims().length === 0, { what: 'end of the shims', timeoutMs });
      removeShimSockets(paths.state);
      unmountBelow(folder);
      rmSync(folder, { recursive: true, force: true });
      removeCgroups(`/${folder.split('/').at(-1)}`);
    },
  };
}

/**
 * Shims of all containerds on the machine put their sockets into one folder, and a killed shim leaves its
 * socket there.
 */
function removeShimSockets(state: string): void {
  for (const file of globSync('io.containerd.runtime.v2.task/*/*/address', { cwd: state }))
    rmSync(readFileSync(join(state, file), 'utf8').replace('unix://', ''), { force: true });
}

function mustRun(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr.trim()}`);
}

/** Containers in runc's state folder. */
function runcStates(folder: string): { root: string; id: string }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((namespace) =>
    readdirSync(join(folder, namespace)).map((id) => ({ root: join(folder, namespace), id })),
  );
}

/** Pids of the processes whose command line contains these arguments in a row. */
function processesWith(words: readonly string[]): number[] {
  const sought = words.join('\0');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(`${sought}\0`);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Mount points below a folder, in the order in which they were mounted. */
export function mountsBelow(folder: string): string[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '')
    .filter((point) => point.startsWith(`${folder}/`));
}

function unmountBelow(folder: string): void {
  for (const point of mountsBelow(folder).reverse()) mustRun('umount', ['--lazy', point]);
}

/** Removes empty cgroups, the deepest first, in every hierarchy. */
export function removeCgroups(path: string): void {
  const hierarchies = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => / - cgroup2? /.test(line))
    .map((line) => line.split(' ')[4] ?? '');
  for (const hierarchy of hierarchies) {
    const top = join(hierarchy, path);
    if (!existsSync(top)) continue;
    const folders = readdirSync(top, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name));
    for (const folder of [...folders.sort().reverse(), top]) spawnSync('rmdir', [folder]);
  }
}
