// A machine that gets its address from the DHCP server of the network of the test, without a word on its command line.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTalosClient, parseTalosconfig, type TalosClient } from '@nodewright/client';
import { makeMachineDisk } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import { parseAllDocuments, stringify } from 'yaml';
import { type ImageWithExtensions, imageWithExtensions } from '../image-with-extensions.ts';
import { type Machine, type MachineInit, startMachine } from '../machine.ts';
import type { Workplace } from '../use-machine.ts';
import { LinkTools, linkToolsExtension } from './link-tools.ts';
import type { Connection } from './open-network.ts';

/** Beside other work an emulated machine takes minutes for what takes it seconds otherwise. */
export const stepTimeoutMs = 900_000;
const diskBytes = 5 * 2 ** 30;

/** Runs talosctl, ours or another one. */
export type Run = (
  ...words: string[]
) => Promise<{ readonly exitCode: number | null; readonly output: string }>;

/** A machine of the network. */
export interface NetworkMachine extends AsyncDisposable {
  readonly machine: Machine;
  readonly address: string;
  /** Runs the command until it succeeds and its output has the pattern; returns the output. */
  shows(run: Run, words: readonly string[], pattern?: RegExp): Promise<string>;
}

export function networkMachine(machine: Machine, { address }: Connection): NetworkMachine {
  return {
    ...{ machine, address },
    async shows(run, words, pattern = /^/) {
      let last = '';
      const isDone = async () => {
        const { exitCode, output } = await run(...words);
        last = output;
        return exitCode === 0 && pattern.test(output);
      };
      const explain = () => `${last}\nthe console ends with:\n${machine.console().slice(-6000)}`;
      const what = `${pattern} in the output of ${words.join(' ')}`;
      await eventually(isDone, { what, timeoutMs: stepTimeoutMs, explain });
      return last;
    },
    [Symbol.asyncDispose]: () => machine[Symbol.asyncDispose](),
  };
}

/** On a busy machine the answer may be lost, although the configuration was applied. */
export async function configure(run: Run, file: string, node: NetworkMachine): Promise<void> {
  const { address } = node;
  await node.shows(run, ['version', '--insecure', '-n', address]);
  const either: Run = async (...words) => {
    const applied = await run(...words);
    return applied.exitCode === 0 ? applied : run('version', '-e', address, '-n', address);
  };
  await node.shows(either, ['apply-config', '--insecure', '-n', address, '-f', file]);
}

/** A machine with the programs for links. Its disk is a file of the workplace, and can be started again. */
export interface ToolsMachine extends NetworkMachine {
  readonly tools: LinkTools;
  readonly client: TalosClient;
  /**
   * Replaces the documents about the network behind the generated configuration.
   *
   * @param interfaces of `machine.network.interfaces`; default: none
   */
  apply(documents: readonly string[], interfaces?: readonly object[]): Promise<void>;
}

/** What is needed to start such a machine, again and again. */
export interface ToolsMachineInit {
  readonly place: Workplace;
  readonly image: ImageWithExtensions;
  readonly connection: Connection;
  readonly moreTaps?: readonly string[];
  /** Default: 2. */
  readonly processors?: number;
}

export const ours =
  (place: Workplace): Run =>
  (...words) =>
    place.talosctl('--talosconfig', 'talosconfig', ...words);

/** Makes the image. It must be made before the network: its packages come from the mirror of this host. */
export const makeToolsImage = ({ folder }: Workplace): Promise<ImageWithExtensions> =>
  imageWithExtensions(folder, [linkToolsExtension(folder)]);

/** Makes the configuration. @returns how to start the machine */
export async function prepareToolsMachine(init: ToolsMachineInit): Promise<() => Promise<ToolsMachine>> {
  const { place, image, connection, moreTaps = [], processors = 2 } = init;
  const { folder } = place;
  const disk = join(folder, 'machine.raw');
  makeMachineDisk(image.disk, disk, diskBytes);
  const generated = await place.talosctl('gen', 'config', 'network', `https://${connection.address}:6443`);
  if (generated.exitCode !== 0) throw new Error(generated.output);
  const plain = readFileSync(join(folder, 'controlplane.yaml'), 'utf8');
  const run = ours(place);
  const boot: MachineInit['boot'] = { kind: 'kernel', commandLine: image.commandLine };
  let isConfigured = false;
  return async () => {
    const machine = await startMachine({
      ...{ disk, keepsDisk: true, network: connection, moreTaps, processors, restarts: true, boot },
    });
    const node = networkMachine(machine, connection);
    try {
      if (!isConfigured) await configure(run, 'controlplane.yaml', node);
      isConfigured = true;
      const tools = new LinkTools(connection.address);
      await eventually(() => tools.answers(), {
        ...{ what: 'the programs for links', timeoutMs: stepTimeoutMs },
        explain: () => machine.console().slice(-6000),
      });
      const path = join(folder, 'talosconfig');
      const { contexts, context } = parseTalosconfig(readFileSync(path, 'utf8'), path);
      const { address } = connection;
      const client = openTalosClient({
        context: contexts.get(context),
        ...{ endpoints: [`${address}:50000`], nodes: [address] },
      });
      return {
        ...{ ...node, tools, client },
        async apply(documents, interfaces = []) {
          const data = Buffer.from([withInterfaces(plain, interfaces), ...documents].join('\n---\n'));
          await eventually(() => isApplied(client, address, data), {
            ...{ what: 'an applied configuration', timeoutMs: stepTimeoutMs },
            explain: () => machine.console().slice(-4000),
          });
        },
        async [Symbol.asyncDispose]() {
          client[Symbol.dispose]();
          await machine[Symbol.asyncDispose]();
        },
      };
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      throw error;
    }
  };
}

/** The configuration with these entries in `machine.network.interfaces` of its first document. */
function withInterfaces(configuration: string, interfaces: readonly object[]): string {
  if (interfaces.length === 0) return configuration;
  const [legacy, ...others] = parseAllDocuments(configuration);
  if (legacy === undefined) throw new Error('the generated configuration is empty');
  legacy.setIn(['machine', 'network', 'interfaces'], interfaces);
  return [legacy, ...others].map((each) => stringify(each.toJS())).join('---\n');
}

/** A busy machine may not answer in time. What it refuses is a failure. */
async function isApplied(client: TalosClient, address: string, data: Buffer): Promise<boolean> {
  const autoMode = 1;
  try {
    const call = client
      .node(address)
      .machine.applyConfiguration(
        { data, mode: autoMode, dryRun: false, tryModeTimeout: undefined },
        { signal: AbortSignal.timeout(60_000) },
      );
    await call;
    return true;
  } catch (error) {
    if (/invalid|InvalidArgument/i.test(String(error))) throw error;
    return false;
  }
}
