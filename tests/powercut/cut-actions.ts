// What a machine does when its power fails.
import type { Machine } from '../boot/machine.ts';
import type { CutFacts } from './judge-finding.ts';
import type { CutKind } from './plan-cuts.ts';
import type { TestCluster } from './test-cluster.ts';

/** The facts so far; an action keeps them up to date. */
export type ActionProgress = { -readonly [Key in keyof CutFacts]: CutFacts[Key] } & {
  digests: Record<number, string>;
};

export interface CutAction {
  /** Waits until the machine can begin. */
  awaitReady(machine: Machine, cluster: TestCluster): Promise<void>;
  /** Resolves when the action is complete, or after the power has failed: then the signal is aborted. */
  act(machine: Machine, cluster: TestCluster, progress: ActionProgress, stop: AbortSignal): Promise<void>;
  /** Whether the action is complete, apart from what the machine may still write to its disk. */
  isOver(machine: Machine, facts: CutFacts): boolean;
}

const timeoutMs = 600_000;
const maintenance = /maintenance: waiting for a machine configuration/;
const restarts = /reboot: Restarting system/;

const nothing = async () => {};

export const cutActions: Readonly<Record<CutKind, CutAction>> = {
  'first-boot': {
    awaitReady: nothing,
    act: nothing,
    isOver: (machine) => maintenance.test(machine.console()),
  },
  'first-configuration': {
    async awaitReady(machine, { succeeds }) {
      await succeeds(['-n', machine.api, 'version', '--insecure'], timeoutMs);
    },
    act: (machine, cluster, progress, stop) =>
      apply(cluster, 1, progress, stop, ['-n', machine.api, 'apply-config', '--insecure']),
    isOver: (_, { acknowledged }) => acknowledged === 1,
  },
  'new-configuration': {
    async awaitReady(machine, { succeeds, trusted }) {
      await succeeds([...trusted(machine), 'ls', '/var/log'], timeoutMs);
    },
    async act(machine, cluster, progress, stop) {
      const words = [...cluster.trusted(machine), 'apply-config', '--mode=no-reboot'];
      while (!stop.aborted) await apply(cluster, progress.sent + 1, progress, stop, words);
    },
    isOver: () => false,
  },
  reset: {
    async awaitReady(machine, { succeeds, trusted }) {
      await succeeds([...trusted(machine), 'ls', '/var/log'], timeoutMs);
    },
    async act(machine, { talosctl, trusted }, _, stop) {
      const wiped = ['--system-labels-to-wipe', 'STATE,EPHEMERAL'];
      // Without a terminal the command needs a consent for a machine that is too slow to say whether it votes in etcd.
      const words = ['reset', '--reboot', '--graceful=false', '--wait=false', '--yes', ...wiped];
      const { exitCode, output } = await talosctl(...trusted(machine), ...words);
      if (exitCode !== 0 && !stop.aborted) throw new Error(output);
    },
    isOver: (machine) => restarts.test(machine.console()),
  },
  'extension-set': {
    async awaitReady(machine, cluster) {
      await showsActiveSet(machine, cluster);
    },
    async act(machine, { talosctl, trusted, sets }, progress, stop) {
      while (!stop.aborted) {
        const number = progress.sent + 1;
        progress.sent = number;
        const words = [...trusted(machine), 'extensions', 'install', sets.path(number)];
        const { exitCode, output } = await talosctl(...words);
        if (stop.aborted) return;
        if (exitCode !== 0) throw new Error(output);
        progress.acknowledged = number;
      }
    },
    isOver: () => false,
  },
};

/** Waits until the machine runs set 0 and has nothing to decide about it. */
export const showsActiveSet = (
  machine: Machine,
  { shows, trusted, sets }: Pick<TestCluster, 'shows' | 'trusted' | 'sets'>,
  number = 0,
): Promise<string> =>
  shows(
    [...trusted(machine), 'extensions', 'sets'],
    new RegExp(`this +${(sets.rootHashes[number] ?? '').slice(0, 12)} .* powercut 1\\.2\\.3 *\n$`),
    timeoutMs,
  );

async function apply(
  { talosctl, configuration }: TestCluster,
  number: number,
  progress: ActionProgress,
  stop: AbortSignal,
  words: readonly string[],
): Promise<void> {
  const { path, digest } = configuration(number);
  progress.digests[number] = digest;
  progress.sent = number;
  const { exitCode, output } = await talosctl(...words, '-f', path);
  if (stop.aborted) return;
  if (exitCode !== 0) throw new Error(output);
  progress.acknowledged = number;
}
