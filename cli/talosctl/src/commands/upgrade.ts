import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { NodeClient, TalosClient } from '@nodewright/client';
import { type Command, InvalidArgumentError } from 'commander';
import { type ActionOptions, addActionOptions, parseProgress } from '../action/action-options.ts';
import {
  isRebootMode,
  legacyUpgradeAction,
  type RebootModeName,
  rebootAction,
} from '../action/node-actions.ts';
import { openDrain } from '../action/open-drain.ts';
import { type ActionCommand, runNodeAction } from '../action/run-node-action.ts';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import { readFault } from '../context/read-input.ts';
import { onlyMessage } from '../nodes/only-message.ts';
import { prepareNode } from '../upgrade/prepare-node.ts';
import { upgradePath } from '../upgrade/upgrade-path.ts';
import { checkWanted, upgradeLines, type WantedUpgrade } from '../upgrade/wanted-upgrade.ts';
import { parseGoDuration } from '../values/go-duration.ts';
import { wholeNumberBetween } from '../values/parse-whole-number.ts';
import { containerdInstance, type ImageNamespace, parseNamespace } from './image/image-options.ts';

interface UpgradeOptions extends ActionOptions {
  /** Upgrades all nodes of the cluster. */
  readonly all?: boolean;
  readonly maxUnavailable?: number;
  readonly pauseAfter?: number;
  readonly watch?: boolean;
  readonly image?: string;
  readonly namespace: ImageNamespace;
  readonly rebootMode: RebootModeName;
  readonly reboot: boolean;
  /** Undefined: where the node has a kubelet. */
  readonly drain?: boolean;
  /** Nanoseconds. */
  readonly drainTimeout: bigint;
  readonly legacy?: boolean;
  readonly stage?: boolean;
  readonly preserve?: boolean;
  readonly force?: boolean;
  readonly allowDowngrade?: boolean;
  readonly extensionSet?: string;
  /** Commander reads `--without-extensions` as it is: only `--no-` negates. */
  readonly withoutExtensions?: boolean;
}

const defaultDrainTimeoutNanos = 300n * 1_000_000_000n;

/** `talosctl upgrade`. Source: Talos v1.14: talosctl upgrade. */
export const upgradeCommand: CommandModule = {
  define(command, env) {
    addUpgradeOptions(addActionOptions(command))
      .argument('[task]', 'of the upgrade of all nodes: status, resume or abort', parseTask)
      .action((task: RolloutTask | undefined, options: UpgradeOptions) => {
        if (task !== undefined) return upgradeTask(env, command, task, options);
        if (options.all) return upgradeCluster(env, command, options);
        const [single] = givenOptions(command, allOptions);
        if (single !== undefined) throw new UsageFault(`${single} goes with --all, or a task`);
        return upgrade(env, options);
      });
  },
};

function addUpgradeOptions(command: Command): Command {
  return command
    .option(
      '--all',
      'upgrade all nodes of the cluster, control planes first, by a plan in the cluster that goes on when this command ends',
    )
    .option(
      '--max-unavailable <number>',
      'with --all: how many nodes may be unavailable at once; of control planes it is never more than one (default: 1)',
      wholeNumberBetween(1, 500),
    )
    .option(
      '--pause-after <number>',
      'with --all: pause when this many nodes are done; "talosctl upgrade resume" goes on',
      wholeNumberBetween(1, 500),
    )
    .option('--watch', 'with status: follow it until it ends')
    .option(
      '-i, --image <image>',
      'the artefact of "make installer" to upgrade to: a reference in a registry, or the name or digest of an imported one',
    )
    .option(
      '--namespace <namespace>',
      'where it is pulled to: system, cri or inmem',
      parseNamespace,
      'system',
    )
    .addOption(
      command
        .createOption('-m, --reboot-mode <mode>', 'default, powercycle (through the firmware) or force')
        .argParser(parseMode)
        .default('default'),
    )
    .option('--no-reboot', 'only write the new system: the next start tries it, whatever its cause')
    .option(
      '--drain',
      'cordon the Kubernetes node and evict its pods first, and uncordon it when it is Ready again; implies --wait. Default: where the node has a kubelet',
    )
    .option('--no-drain', 'do not drain Kubernetes nodes')
    .addOption(
      command
        .createOption('--drain-timeout <duration>', 'how long the pods may take to leave')
        .argParser(parseGoDuration)
        .default(defaultDrainTimeoutNanos, '5m0s'),
    )
    .option('--allow-downgrade', 'the artefact may have an older version than the system that runs')
    .option(
      '--extension-set <file>',
      'start the new system with the set of extensions that "make extension-set" wrote for it',
    )
    .option('--without-extensions', 'start the new system without the set of extensions that runs')
    .option('-s, --stage', 'let the next start begin with the upgrade, before anything uses the disk')
    .option('--legacy', 'use the call of older versions, which restarts the node by itself (deprecated)')
    .option('-p, --preserve', 'with --legacy: leave out the check of etcd (deprecated)')
    .option('-f, --force', 'with --legacy: leave out the check of etcd (deprecated)')
    .option('--progress <kind>', 'auto, or plain: lines without colours', parseProgress, 'auto');
}

/** The options of the upgrade of all nodes, and of its tasks. */
const allOptions = ['maxUnavailable', 'pauseAfter', 'watch'] as const;
/** The options that the plan of each node decides, or that have no meaning for all nodes. */
const singleOptions = [
  ...(['namespace', 'rebootMode', 'reboot', 'drain', 'drainTimeout', 'extensionSet', 'stage'] as const),
  ...(['legacy', 'preserve', 'force', 'debug', 'progress'] as const),
];
const connectionOptions = [
  ...['talosconfig', 'nodes', 'endpoints', 'context', 'cluster', 'siderov1KeysDir', 'certFingerprint'],
  ...['output', 'timeout', 'yes'],
];

/** The flags of these options that the command line has. */
function givenOptions(command: Command, names: readonly string[]): string[] {
  return command.options
    .filter((option) => names.includes(option.attributeName()))
    .filter((option) => command.getOptionValueSource(option.attributeName()) === 'cli')
    .map(({ long }) => long ?? '');
}

async function upgradeCluster(env: CliEnvironment, command: Command, options: UpgradeOptions): Promise<void> {
  const [single] = givenOptions(command, singleOptions);
  if (single !== undefined)
    throw new UsageFault(`${single} does not go with --all: the plan of each node drains and restarts it`);
  if (options.watch) throw new UsageFault('--watch goes with status: --all follows the upgrade anyway');
  const { image, allowsDowngrade, dropsExtensions } = await wantedOf(env, options);
  const { upgradeAll } = await import('../upgrade/upgrade-all.ts');
  const { maxUnavailable = 0, pauseAfter = 0 } = options;
  await upgradeAll(env, patient(command, options), {
    ...{ image, maxUnavailable, pauseAfter },
    ...{ allowDowngrade: allowsDowngrade, withoutExtensions: dropsExtensions },
  });
}

async function upgradeTask(
  env: CliEnvironment,
  command: Command,
  task: RolloutTask,
  options: UpgradeOptions,
): Promise<void> {
  const known = [...connectionOptions, ...(task === 'status' ? ['watch'] : [])];
  const others = command.options.map((option) => option.attributeName());
  const [unused] = givenOptions(
    command,
    others.filter((name) => !known.includes(name)),
  );
  if (unused !== undefined) throw new UsageFault(`${unused} does not go with the task ${task}`);
  const { runRolloutTask } = await import('../upgrade/upgrade-all.ts');
  await runRolloutTask(env, task, patient(command, options));
}

/** All nodes take longer than one: without --timeout they have a day. */
const patient = (command: Command, options: UpgradeOptions): UpgradeOptions =>
  command.getOptionValueSource('timeout') === 'cli'
    ? options
    : { ...options, timeout: 86_400n * 1_000_000_000n };

const rolloutTasks = ['status', 'resume', 'abort'] as const;
type RolloutTask = (typeof rolloutTasks)[number];

function parseTask(text: string): RolloutTask {
  const task = rolloutTasks.find((known) => known === text);
  if (task === undefined) throw new InvalidArgumentError('It must be status, resume or abort.');
  return task;
}

async function upgrade(env: CliEnvironment, options: UpgradeOptions): Promise<void> {
  const { legacy = false, preserve = false, force = false } = options;
  const wanted = await wantedOf(env, options);
  checkWanted(wanted, legacy);
  const ways = {
    lifecycle: lifecycleCommand(wanted, options),
    legacy: legacyCommand(wanted, options, { preserve, force }),
  };
  if (legacy) return runNodeAction(env, options, ways.legacy);
  await runNodeAction(env, options, {
    ...ways.lifecycle,
    async instead(client, signal) {
      if (upgradePath(await versionsOf(client, signal)) === 'lifecycle') return undefined;
      env.stderr.write(
        'NOTICE: not all nodes have the new call of upgrades: using the one of older versions\n',
      );
      checkWanted(wanted, true);
      return ways.legacy;
    },
  });
}

async function wantedOf(env: CliEnvironment, options: UpgradeOptions): Promise<WantedUpgrade> {
  const { image = '', allowDowngrade = false, withoutExtensions = false, stage = false } = options;
  if (image === '')
    throw new UsageFault('flag --image is required: name the artefact of "make installer" to upgrade to');
  const extensionSet = options.extensionSet && resolve(env.cwd, options.extensionSet);
  if (extensionSet !== undefined)
    await stat(extensionSet).catch((error: unknown) => {
      throw readFault(JSON.stringify(options.extensionSet), error);
    });
  return {
    ...{ image, extensionSet, allowsDowngrade: allowDowngrade, dropsExtensions: withoutExtensions },
    isStaged: stage,
  };
}

/** The new system is written on all nodes before one of them is drained. */
function lifecycleCommand(wanted: WantedUpgrade, options: UpgradeOptions): ActionCommand {
  const { reboot, namespace, rebootMode } = options;
  return {
    ...{ verb: 'upgrade', ...rebootAction(rebootMode) },
    ...(reboot ? {} : { planned: { kind: 'upgrade' } as const }),
    moreLines: async () => upgradeLines(wanted, { restarts: reboot }),
    prepare: async (node, note, signal) => ({
      image: await prepareNode(node, { wanted, containerd: containerdInstance({ namespace }), note, signal }),
    }),
    onlyPrepares: !reboot,
    openDrain: reboot ? drainOf(options) : undefined,
  };
}

function legacyCommand(
  wanted: WantedUpgrade,
  options: UpgradeOptions,
  { preserve, force }: { readonly preserve: boolean; readonly force: boolean },
): ActionCommand {
  const { rebootMode, reboot } = options;
  const { image, isStaged: stage } = wanted;
  const refusal = reboot
    ? rebootMode === 'force'
      ? 'invalid reboot mode: the call of older versions has no force'
      : undefined
    : 'the call of older versions always restarts the node: leave out --no-reboot';
  return {
    verb: 'upgrade',
    ...legacyUpgradeAction({ image, stage, preserve, force, mode: rebootMode }),
    moreLines: async () => upgradeLines(wanted, { restarts: true }),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

/** @returns undefined when nothing is drained */
function drainOf({ drain, drainTimeout, wait }: UpgradeOptions): ActionCommand['openDrain'] {
  if (drain === false || (drain === undefined && !wait)) return undefined;
  const timeoutMs = Number(drainTimeout / 1_000_000n);
  const needsKubelet = drain === undefined;
  return (client, signal) => {
    const always = openDrain(client, timeoutMs, signal);
    if (!needsKubelet) return always;
    return {
      async before(node, report) {
        if (await hasKubelet(node, signal)) await always.before(node, report);
        else report('runs no kubelet: nothing to drain');
      },
      after: (node, report) => always.after(node, report),
      giveUp: (node, report) => always.giveUp(node, report),
    };
  };
}

async function hasKubelet({ machine }: NodeClient, signal: AbortSignal): Promise<boolean> {
  const { services } = onlyMessage(await machine.serviceList({}, { signal }));
  return services.some(({ id }) => id === 'kubelet');
}

async function versionsOf({ targets }: TalosClient, signal: AbortSignal): Promise<string[]> {
  return Promise.all(
    targets.map(async ({ machine }) => onlyMessage(await machine.version({}, { signal })).version?.tag ?? ''),
  );
}

function parseMode(text: string): RebootModeName {
  const mode = text.toLowerCase();
  if (!isRebootMode(mode)) throw new InvalidArgumentError('It must be default, powercycle or force.');
  return mode;
}
