// Machines as somebody starts them who follows the documentation: with the files that `gen config` writes, and with an address on
// the kernel's command line. Nothing else is prepared for them.
import assert from 'node:assert/strict';
import { eventually } from '@nodewright/testkit';
import { type Machine, noMachine, startMachine } from '../machine.ts';
import type { Workplace } from '../use-machine.ts';
import { type Connection, noPlainNetwork } from './plain-network.ts';

/** Why such machines cannot be started here; false when they can. */
export const skip = noMachine || noPlainNetwork;

/** EPHEMERAL must have 4 GB for `health`. The file takes only what the machine writes. */
const diskBytes = 8 * 2 ** 30;
/** Two emulated machines boot, configure themselves and start etcd in some minutes. */
export const stepTimeoutMs = 900_000;
/** `health` ends by itself before the step does. */
const healthTimeout = '9m';

/** A machine of the network, which keeps its disk as long as it runs. */
export interface PlainMachine extends AsyncDisposable {
  readonly machine: Machine;
  readonly address: string;
}

/** @param clock what its clock shows, such as `2020-01-01T00:00:00`; default: the time */
export async function switchOn(
  place: Workplace,
  { word, ...connection }: Connection,
  clock?: string,
): Promise<PlainMachine> {
  const machine = await startMachine({
    ...{ disk: place.machineDisk(`${connection.tapDevice}.raw`, diskBytes), keepsDisk: true },
    ...{ network: connection, boot: { kind: 'kernel', words: [word] } },
    ...(clock === undefined ? {} : { clock }),
  });
  const plain: PlainMachine = {
    ...{ machine, address: connection.address },
    [Symbol.asyncDispose]: () => machine[Symbol.asyncDispose](),
  };
  return plain;
}

/** Runs talosctl, ours or another one, in the folder of a workplace. */
export type Run = (
  ...words: string[]
) => Promise<{ readonly exitCode: number | null; readonly output: string }>;

/** Runs the command until it succeeds, as a person does who is told to wait. */
export async function succeeds(
  run: Run,
  words: readonly string[],
  { machine }: PlainMachine,
): Promise<string> {
  let last = '';
  const isDone = async () => {
    const { exitCode, output } = await run(...words);
    last = output;
    return exitCode === 0;
  };
  const explain = () => `${last}\nthe console ends with:\n${machine.console().slice(-6000)}`;
  await eventually(isDone, { what: `success of ${words.join(' ')}`, timeoutMs: stepTimeoutMs, explain });
  return last;
}

/** On a busy machine the answer may be lost, although the configuration was applied. */
export async function configure(run: Run, file: string, node: PlainMachine): Promise<void> {
  const { address } = node;
  await succeeds(run, ['version', '--insecure', '-n', address], node);
  const either: Run = async (...words) => {
    const applied = await run(...words);
    return applied.exitCode === 0 ? applied : run('version', '-e', address, '-n', address);
  };
  await succeeds(either, ['apply-config', '--insecure', '-n', address, '-f', file], node);
}

/** Whether the table of `etcd status` names a leader; without one its column has zeros. */
function hasLeader(table: string): boolean {
  const [header = '', row = ''] = table.split('\n');
  const [leader = ''] = row.slice(header.indexOf('LEADER')).split(' ');
  return /^[0-9a-f]+$/.test(leader) && /[^0]/.test(leader);
}

/** From the configured control plane to one whose etcd has a leader. */
export async function bootstrapEtcd(run: Run, controlPlane: PlainMachine): Promise<void> {
  const { address } = controlPlane;
  const trusted = ['-e', address, '-n', address];
  const unlessDone: Run = async (...words) => {
    const { exitCode, output } = await run(...words);
    return { exitCode: /already/i.test(output) ? 0 : exitCode, output };
  };
  await succeeds(unlessDone, ['bootstrap', ...trusted], controlPlane);
  const withLeader: Run = async (...words) => {
    const { exitCode, output } = await run(...words);
    return { exitCode: exitCode === 0 && hasLeader(output) ? 0 : 1, output };
  };
  await succeeds(withLeader, ['etcd', 'status', ...trusted], controlPlane);
}

/** From the configured control plane to a cluster whose checks pass. */
export async function bootstrap(run: Run, health: Run, controlPlane: PlainMachine): Promise<void> {
  const { address } = controlPlane;
  const trusted = ['-e', address, '-n', address];
  await bootstrapEtcd(run, controlPlane);
  const { exitCode, output } = await health('health', '--wait-timeout', healthTimeout, ...trusted);
  const console = controlPlane.machine.console().slice(-6000);
  assert.equal(exitCode, 0, `${output}\nthe console ends with:\n${console}`);
  for (const check of ['all k8s nodes to report', 'all control plane components to be ready'])
    assert.match(output, new RegExp(`^skipped, because .*: .*${check}`, 'm'), output);
}

export const ours =
  (place: Workplace): Run =>
  (...words) =>
    place.talosctl('--talosconfig', 'talosconfig', ...words);
