import { resolve } from 'node:path';
import { readExistingTalosconfig } from '@nodewright/client/talosconfig';
import type { ClusterRequest, CreateResult, ProvisionerName } from '@nodewright/provision';
import { findProvisioner, nodesText } from '@nodewright/provision';
import { type Command, InvalidArgumentError } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { UsageFault } from '../../context/failure.ts';
import {
  type ClusterOptions,
  clusterRef,
  parseProvisioner,
  provisionerOf,
} from '../../local-clusters/cluster-options.ts';
import { nameOutcome } from '../../local-clusters/name-outcome.ts';
import { addOutputOption, type OutputOptions } from '../../nodes/node-options.ts';
import { writtenTalosconfig } from '../../nodes/talosconfig-of.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { writeDocument } from '../../render/document.ts';
import { clusterText } from './cluster-tables.ts';
import { readPatches } from './config-patches.ts';
import { kubernetesText } from './kubernetes-text.ts';
import { createStepLines } from './step-lines.ts';

interface CreateOptions extends ClusterOptions, OutputOptions {
  readonly controlplanes: number;
  readonly workers?: number;
  readonly cidr?: string;
  readonly imagePath?: string;
  readonly nodeImage?: string;
  readonly kubernetes?: boolean;
  readonly configPatch?: readonly string[];
  readonly configPatchControlplanes?: readonly string[];
  readonly configPatchWorkers?: readonly string[];
  readonly talosconfigDestination?: string;
  readonly ifAbsent?: boolean;
  readonly skipBootstrap?: boolean;
}

/** `talosctl cluster create`: creates a cluster, or starts a stopped one. */
export function defineClusterCreate(cluster: Command, env: CliEnvironment): void {
  const command = cluster
    .command('create')
    .description('Create a local cluster, or start a stopped one')
    .argument('[provisioner]', 'the same as --provisioner', parseProvisioner)
    .option('--controlplanes <count>', 'number of control plane nodes', parseCount, 1)
    .option('--workers <count>', 'number of worker nodes (default: 1, with qemu 0)', parseCount)
    .option(
      '--cidr <cidr>',
      'addresses of the cluster: 127.a.b.0/24, or 10.a.b.0/24 with docker (default: a free range)',
    )
    .option(
      '--image-path <folder>',
      'folder with the disk image of qemu machines (default: that of make image)',
    )
    .option(
      '--node-image <image>',
      'with docker: make each node one container of this image (make node-image makes nodewright/node:dev)',
    )
    .option(
      '--kubernetes',
      'run Kubernetes: with processes its control plane (make kubernetes builds it), with --node-image and with qemu also its kubelets (make node-image KUBERNETES=1, make image KUBERNETES=1)',
    )
    .option(
      '--config-patch <patch>',
      'patch for all machine configurations: text, or @file (repeatable)',
      collect,
    )
    .option(
      '--config-patch-controlplanes <patch>',
      'patch for control planes: text, or @file (repeatable)',
      collect,
    )
    .option('--config-patch-workers <patch>', 'patch for workers: text, or @file (repeatable)', collect)
    .option(
      '--talosconfig-destination <path>',
      'talosconfig to add the context to (default: the talosconfig in use)',
    )
    .option('--if-absent', 'succeed if the same cluster is already running')
    .option('--skip-bootstrap', 'do not bootstrap etcd, and do not wait for it');
  addOutputOption(command).action(
    async (argument: ProvisionerName | undefined, _options: CreateOptions, called: Command) => {
      const options = called.optsWithGlobals<CreateOptions>();
      const name = options.provisioner;
      if (argument !== undefined && name !== undefined && argument !== name) {
        throw new UsageFault(
          `argument "${argument}" and --provisioner "${name}" name different provisioners`,
        );
      }
      const chosen = { ...options, provisioner: argument ?? name };
      const provisioner = await provisionerOf(env, chosen);
      const kind = chosen.provisioner ?? (await findProvisioner(clusterRef(env, options)));
      const isMachine = kind === 'qemu';
      if (options.imagePath !== undefined && !isMachine)
        throw new UsageFault('flag --image-path is only for --provisioner qemu');
      if (options.nodeImage !== undefined && kind !== 'docker')
        throw new UsageFault('flag --node-image is only for --provisioner docker');
      if (options.kubernetes && kind === 'docker' && options.nodeImage === undefined)
        throw new UsageFault(
          'flag --kubernetes needs --node-image with --provisioner docker: nodes of several containers do not run Kubernetes',
        );
      const request = await requestFrom(env, { ...options, workers: options.workers ?? (isMachine ? 0 : 1) });
      const contextBefore = await currentContext(request.talosconfig);
      const calledAt = performance.now();
      const result = await nameOutcome(env, options, () =>
        provisioner.create(request, createStepLines(env.stderr), env.signal),
      );
      await report(env, options, result, calledAt);
      const note = switchNote(contextBefore, await currentContext(request.talosconfig), request.talosconfig);
      if (note !== undefined) env.stderr.write(`${escapeLine(note)}\n`);
    },
  );
}

/** The name of the current context; undefined without one. A file that cannot be read is the failure of what needs it. */
async function currentContext(path: string): Promise<string | undefined> {
  const config = await readExistingTalosconfig(path).catch(() => undefined);
  return config?.context || undefined;
}

/** Further commands without --context call another cluster from now on: the user must know. */
function switchNote(before: string | undefined, after: string | undefined, path: string): string | undefined {
  if (before === undefined || after === undefined || before === after) return undefined;
  return `context "${after}" is current now in ${path}; "talosctl config context ${before}" switches back to "${before}"`;
}

async function requestFrom(
  env: CliEnvironment,
  options: CreateOptions & { readonly workers: number },
): Promise<ClusterRequest> {
  const [all, controlPlanes, workers] = await Promise.all([
    readPatches(env, '--config-patch', options.configPatch),
    readPatches(env, '--config-patch-controlplanes', options.configPatchControlplanes),
    readPatches(env, '--config-patch-workers', options.configPatchWorkers),
  ]);
  return {
    ...clusterRef(env, options),
    shape: { controlPlanes: options.controlplanes, workers: options.workers },
    cidr: options.cidr,
    imageFolder: options.imagePath === undefined ? undefined : resolve(env.cwd, options.imagePath),
    nodeImage: options.nodeImage,
    kubernetes: options.kubernetes ?? false,
    patches: { all, controlPlanes, workers },
    talosconfig: writtenTalosconfig(env, { talosconfig: options.talosconfigDestination }).path,
    ifAbsent: options.ifAbsent ?? false,
    bootstrap: !options.skipBootstrap,
  };
}

async function report(
  env: CliEnvironment,
  { output }: OutputOptions,
  result: CreateResult,
  calledAt: number,
): Promise<void> {
  // Count the seconds from the start of this process, because the user waited that long.
  const { cluster, outcome, votes, kubernetes } = result;
  const sinceStart = (since: number) => Math.round(calledAt + since * 1000) / 1000;
  const seconds = sinceStart(result.seconds);
  const etcd = votes && { voters: votes.count, seconds: sinceStart(votes.seconds) };
  const running = kubernetes && {
    ...{ ...kubernetes, seconds: sinceStart(kubernetes.seconds) },
    ...(kubernetes.workloads && {
      workloads: { ...kubernetes.workloads, seconds: sinceStart(kubernetes.workloads.seconds) },
    }),
  };
  if (output === 'table') env.stdout.write(clusterText(cluster));
  else {
    await writeDocument(env.stdout, output, {
      ...{ outcome, seconds, ...(etcd && { etcd }) },
      ...(running && { kubernetes: running }),
      cluster,
    });
  }
  const traces = cluster.jaeger === undefined ? '' : `; Jaeger is at ${cluster.jaeger.url}`;
  env.stderr.write(
    `cluster "${cluster.name}": ${nodesText('answer', result.answering, cluster.nodes.length)} after ${seconds.toFixed(1)}s${traces}\n`,
  );
  if (etcd !== undefined) {
    const who = etcd.voters === 1 ? 'its control plane votes' : `${etcd.voters} control planes vote`;
    env.stderr.write(`cluster "${cluster.name}": ${who} in etcd after ${etcd.seconds.toFixed(1)}s\n`);
  }
  if (running !== undefined) env.stderr.write(kubernetesText(cluster, running));
}

function parseCount(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It must be a number of nodes.');
  return Number(text);
}

/** Collects the values of a repeated flag. It does not split them at commas, which patches contain. */
function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
