import type { NodeClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import { BlockDeviceWipeDescriptor_Method as Method } from '@nodewright/contract/gen/storage/storage.ts';
import { codecsOf } from '@nodewright/state';
import { discoveredText, discoveredVolumes } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { confirmEffect, type TypedConfirmation, typedConfirmation } from '../../nodes/ask-question.ts';
import { addOutputOption, type NodeOptions, type OutputOptions } from '../../nodes/node-options.ts';
import { openClient } from '../../nodes/open-client.ts';
import { reportDone } from '../../nodes/report-done.ts';
import { clusterName } from '../../nodes/talosconfig-of.ts';
import { escapeLine } from '../../output/escape-text.ts';

interface WipeDiskOptions extends NodeOptions, OutputOptions {
  readonly method: Method;
  readonly dropPartition?: boolean;
  readonly skipVolumeCheck?: boolean;
  readonly skipSecondaryCheck?: boolean;
  readonly yes?: boolean;
}

/** How long the question waits for what a node has found on its disks. */
const foundTimeoutMs = 5_000;

const methods: Readonly<Record<string, Method>> = { FAST: Method.FAST, ZEROES: Method.ZEROES };

function parseMethod(text: string): Method {
  const name = text.toUpperCase();
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (method === undefined) throw new InvalidArgumentError('It must be FAST or ZEROES.');
  return method;
}

/** `talosctl wipe disk <device>...`. Source: Talos v1.14: wipe disk. */
export function defineWipeDisk(wipe: Command, env: CliEnvironment): void {
  const command = addOutputOption(wipe.command('disk').description('Wipe disks or partitions'));
  command
    .argument('<devices...>', 'names of disks or partitions without /dev/, as "get discoveredvolumes" shows')
    .addOption(
      command
        .createOption('--method <method>', 'FAST clears what makes contents recognisable, ZEROES everything')
        .argParser(parseMethod)
        .default(Method.FAST, 'FAST'),
    )
    .option('--drop-partition', 'delete the entries of the partitions from their partition tables as well')
    .addOption(
      command.createOption('--skip-volume-check', 'wipe a device though a volume uses it').hideHelp(),
    )
    .addOption(
      command
        .createOption('--skip-secondary-check', 'wipe a device though another one is built on it')
        .hideHelp(),
    )
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (devices: string[], _: WipeDiskOptions, action: Command) => {
      const options = action.optsWithGlobals<WipeDiskOptions>();
      await confirmWipe(env, devices, options);
      const { method, dropPartition = false } = options;
      const { skipVolumeCheck = false, skipSecondaryCheck = false } = options;
      const how = { method, dropPartition, skipVolumeCheck, skipSecondaryCheck };
      const request = { devices: devices.map((device) => ({ device, ...how })) };
      await reportDone(env, options, async ({ storage }, signal) => {
        await storage.blockDeviceWipe(request, { signal });
        return { devices };
      });
    });
}

async function confirmWipe(
  env: CliEnvironment,
  devices: readonly string[],
  options: WipeDiskOptions,
): Promise<void> {
  using client = await openClient(env, options);
  const nodes = client.targets.map(({ name }) => name);
  const names = nodes.map((name) => nodeNameInLine(name));
  const what = effectText(devices, options);
  const lines =
    names.length === 1
      ? [`${names[0]} ${what}`]
      : [`${names.length} nodes: ${names.join(', ')}`, `  each ${what}`];
  const isAsked = env.isInteractive && options.yes !== true;
  if (isAsked) {
    const found = client.targets.map((node) => foundOn(node, devices, env.signal));
    lines.push(...(await Promise.all(found)).flat());
  }
  const typed = isAsked ? await typedText(env, nodes, options) : undefined;
  await confirmEffect(env, { verb: 'wipe disk', nodes, lines, typed }, options);
}

/** What a node has found on the devices. A node that does not answer, or has none, does not keep its user from wiping. */
async function foundOn(node: NodeClient, devices: readonly string[], signal: AbortSignal): Promise<string[]> {
  const state = createStateClient({ client: node.state, codecs: codecsOf([discoveredVolumes]) });
  const within = AbortSignal.any([signal, AbortSignal.timeout(foundTimeoutMs)]);
  const list = await state.list(discoveredVolumes, { signal: within }).catch(() => []);
  const found = list.map(({ metadata: { id }, spec }) => ({ id, spec }));
  return devices.map(
    (device) => `  ${nodeNameInLine(node.name)} ${device}: ${discoveredText(device, found)}`,
  );
}

/** Describes the effect of the wipe, for the question that the user must confirm. */
function effectText(devices: readonly string[], { method, dropPartition }: WipeDiskOptions): string {
  const list = devices.map(escapeLine).join(', ');
  const entries = dropPartition ? ' and their entries in the partition table' : '';
  const how = method === Method.ZEROES ? ', overwritten with zeros' : '';
  return `loses everything on ${list}${entries} for good${how}`;
}

/** Nodes in maintenance have no cluster yet, and need no talosconfig. */
async function typedText(
  env: CliEnvironment,
  nodes: readonly string[],
  options: WipeDiskOptions,
): Promise<TypedConfirmation> {
  if (options.insecure && nodes.length > 1)
    return { text: `${nodes.length} nodes`, meaning: 'the number of nodes' };
  return typedConfirmation(nodes, options.insecure ? '' : await clusterName(env, options));
}
