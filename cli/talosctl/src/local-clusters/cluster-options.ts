import { realpathSync } from 'node:fs';
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
import type { CliEnvironment } from '../context/command-module.ts';
import { findHomeFolder } from '../context/home-folder.ts';

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
      'name of the cluster (show, logs, start, stop and join default to the cluster of the context)',
      'talos-default',
    )
    .option('--state <folder>', 'folder with the state of the clusters (default: $TALOS_HOME/clusters)')
    .option(
      '--provisioner <name>',
      `how nodes run: ${provisionerNames.join(', ')} (default: as the cluster was created; process for a new cluster)`,
      parseProvisioner,
    );
}

export function parseProvisioner(text: string): ProvisionerName {
  const name = provisionerNames.find((known) => known === text);
  if (name === undefined) throw new InvalidArgumentError(`It must be one of ${provisionerNames.join(', ')}.`);
  return name;
}

/** The cluster that the command line names. */
export function clusterRef(env: CliEnvironment, { name, state }: ClusterOptions): ClusterRef {
  const { environment, cwd } = env;
  const home = talosHome({ environment, home: findHomeFolder(environment) ?? '/' });
  return { name, clustersFolder: state === undefined ? join(home, 'clusters') : resolve(cwd, state) };
}

/**
 * The provisioner that created the cluster. For a new cluster, it is the one that the user names, or else `process`.
 *
 * @throws Fault `failed-precondition` when the user names another provisioner than the cluster's
 */
export async function provisionerOf(env: CliEnvironment, options: ClusterOptions): Promise<Provisioner> {
  const ref = clusterRef(env, options);
  const found = await findProvisioner(ref);
  const wanted = options.provisioner;
  if (found !== undefined && wanted !== undefined && found !== wanted) {
    throw new Fault(
      'failed-precondition',
      `cluster "${ref.name}" exists and belongs to provisioner "${found}", not "${wanted}"`,
    );
  }
  const telemetry = await env.telemetry();
  const traceparent = telemetry.activeSpan()?.traceparent;
  return openProvisioner(wanted ?? found ?? 'process', {
    distFolder: distFolder(),
    nodeBinary: process.execPath,
    // The spans of the starting nodes join the trace of this command.
    environment: { ...env.environment, ...(traceparent === undefined ? {} : { TRACEPARENT: traceparent }) },
    telemetry,
    now: () => env.now(),
  });
}

/** The folder with all bundles: this program is `<dist>/talosctl/talosctl.cjs`. */
function distFolder(): string {
  return dirname(dirname(realpathSync(process.argv[1] ?? '')));
}
