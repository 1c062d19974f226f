import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { talosHome } from '@nodewright/client/talosconfig';
import { Fault } from '@nodewright/fault';
import {
  type ClusterRef,
  findProvisioner,
  openProvisioner,
  type Provisioner,
  type ProvisionerName,
  provisionerNames,
} from '@nodewright/provision';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliEnvironment } from '../../command-module.ts';

/** Options of every `cluster` command. */
export interface ClusterOptions {
  readonly name: string;
  readonly state?: string;
  readonly provisioner?: ProvisionerName;
}

/** Source: Talos v1.14: cluster, persistent flags. */
export function addClusterOptions(command: Command): Command {
  return command
    .option(
      '--name <name>',
      'name of the cluster (show, logs, start, stop: default that of the context)',
      'talos-default',
    )
    .option('--state <folder>', 'folder of the clusters (default: $TALOS_HOME/clusters)')
    .option(
      '--provisioner <name>',
      `how nodes run: ${provisionerNames.join(', ')} (default: that of the cluster, process for a new one)`,
      parseProvisioner,
    );
}

export function parseProvisioner(text: string): ProvisionerName {
  const name = provisionerNames.find((known) => known === text);
  if (name === undefined) throw new InvalidArgumentError(`It must be one of ${provisionerNames.join(', ')}.`);
  return name;
}

/** The cluster that a command line is about. */
export function clusterRef(env: CliEnvironment, { name, state }: ClusterOptions): ClusterRef {
  const { environment, cwd } = env;
  const home = talosHome({ environment, home: environment.HOME || homedir() });
  return { name, clustersFolder: state === undefined ? join(home, 'clusters') : resolve(cwd, state) };
}

/** The provisioner that made the cluster, or the one that the user names, which must be the same. */
export async function provisionerOf(env: CliEnvironment, options: ClusterOptions): Promise<Provisioner> {
  const ref = clusterRef(env, options);
  const found = await findProvisioner(ref);
  const wanted = options.provisioner;
  if (found !== undefined && wanted !== undefined && found !== wanted) {
    throw new Fault(
      'failed-precondition',
      `cluster "${ref.name}" exists and is one of provisioner "${found}", not "${wanted}"`,
    );
  }
  const telemetry = await env.telemetry();
  const traceparent = telemetry.activeSpan()?.traceparent;
  return openProvisioner(wanted ?? found ?? 'process', {
    distFolder: distFolder(),
    nodeBinary: process.execPath,
    // What the nodes do at their start belongs to the trace of the command that starts them.
    environment: { ...env.environment, ...(traceparent === undefined ? {} : { TRACEPARENT: traceparent }) },
    telemetry,
    now: () => env.now(),
  });
}

/** The bundles lie beside this program's own: `<dist>/talosctl/talosctl.cjs`. */
function distFolder(): string {
  return dirname(dirname(realpathSync(process.argv[1] ?? '')));
}
