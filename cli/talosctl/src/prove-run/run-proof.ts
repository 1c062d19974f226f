import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type NodeClient, openTalosClient } from '@nodewright/client';
import { staticPodStatuses } from '@nodewright/client/kinds';
import { openKubernetesApi, parseKubeconfig } from '@nodewright/client/kubeconfig';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { kubernetesPorts } from '@nodewright/contract';
import { ApplyConfigurationRequest_Mode as Mode } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { type Configuration, effectiveConfig, encodeConfiguration } from '@nodewright/machine-config';
import {
  availabilityOf,
  compareProcesses,
  expectedReplacements,
  notShownByProcesses,
  type ObservedProcess,
  proveConfigurations,
  type RunProof,
  settlesFor,
} from '@nodewright/node-files';
import type { NodeView, Progress } from '@nodewright/provision';
import { noTelemetry } from '@nodewright/telemetry';
import type { CliEnvironment } from '../context/command-module.ts';
import { CancelledFault } from '../context/failure.ts';
import { type Asking, askApiServers } from './ask-api-servers.ts';
import { type LocalCluster, openLocalCluster } from './local-cluster.ts';
import { observeProcesses } from './observe-processes.ts';

/** How long a node may take to act on its new configuration: an API server that does not become ready fails after 120 s. */
const settleTimeoutMs = 240_000;
const pollMs = 500;
/** An object that every API server has, and that it reads from etcd. */
const askedPath = '/api/v1/namespaces/default';

/**
 * Starts three control planes of processes with one configuration, gives them another one, one node after the other, and watches which of
 * their services restart and whether the API answers meanwhile. The cluster is destroyed at the end, also after a failure.
 *
 * @throws Fault `invalid-argument` for the configuration of a worker; those of `openLocalCluster`; `deadline-exceeded` when a node does not
 * act on the new configuration; CancelledFault after Ctrl-C
 */
export async function runProof(
  env: CliEnvironment,
  before: Configuration,
  after: Configuration,
  progress: Progress,
): Promise<RunProof> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1000;
  requireControlPlane(before);
  try {
    const seen = await seeChange(env, { before, after, progress, seconds });
    return { ...seen, seconds: seconds() };
  } catch (error) {
    if (!env.signal.aborted) throw error;
    throw new CancelledFault('the cluster of processes is destroyed, and nothing is proven');
  }
}

/** @throws Fault `invalid-argument` for the configuration of a worker, which runs nothing of the control plane */
export function requireControlPlane(configuration: Configuration): void {
  if (effectiveConfig(configuration).machineType === 'worker')
    throw new Fault(
      'invalid-argument',
      'it is the configuration of a worker, and --prove=run starts control planes: use --prove for it',
    );
}

interface Change {
  readonly before: Configuration;
  readonly after: Configuration;
  readonly progress: Progress;
  readonly seconds: () => number;
}

async function seeChange(
  env: CliEnvironment,
  { before, after, progress, seconds }: Change,
): Promise<Omit<RunProof, 'seconds'>> {
  await using cluster = await openLocalCluster(env, before, progress);
  const startSeconds = seconds();
  const { nodes } = cluster.view;
  const config = parseTalosconfig(await readFile(cluster.talosconfig, 'utf8'));
  using client = openTalosClient({
    context: config.contexts.get(config.context),
    nodes: nodes.map(({ name }) => name),
    telemetry: noTelemetry,
  });
  using api = openKubernetesApi(
    parseKubeconfig(await readFile(cluster.kubeconfig, 'utf8'), 'the kubeconfig of the cluster'),
  );
  const asking = askApiServers(nodes.map(serverOf), async (server, signal) => {
    const { status } = await api.get(askedPath, { server, signal });
    if (status !== 200) throw new Fault('unavailable', `${server} answers ${status}`);
  });
  const taken: { name: string; seconds: number }[] = [];
  let first: ReadonlyMap<string, readonly ObservedProcess[]>;
  try {
    await progress.step('all nodes rest', (say) =>
      settle({ cluster, client, asking, nodes, expected: [], say, env }),
    );
    first = await observe(cluster);
    for (const node of nodes) {
      const began = seconds();
      const wanted = cluster.configurationOf(node.name, after).configuration;
      const expected = expectedReplacements(
        proveConfigurations(cluster.configurationOf(node.name, before).configuration, wanted),
      );
      await progress.step(`${node.name} takes the new configuration`, async (say) => {
        const target = targetOf(client.targets, node.name);
        await apply(target, encodeConfiguration(wanted), env.signal);
        await settle({ cluster, client, asking, nodes: [node], expected, say, env, before: first });
      });
      taken.push({ name: node.name, seconds: seconds() - began });
    }
  } finally {
    // Nothing may be asked any more while the servers end.
    await asking.stop();
  }
  const last = await observe(cluster);
  return {
    nodes: taken,
    processes: nodes.flatMap(({ name }) =>
      compareProcesses(name, first.get(name) ?? [], last.get(name) ?? []),
    ),
    availability: availabilityOf(await asking.stop(), nodes.length),
    replaced: replacedIn(cluster, nodes, [before, after]),
    notShown: notShownByProcesses,
    startSeconds,
  };
}

const serverOf = ({ address }: NodeView) => `https://${address}:${kubernetesPorts.apiServer}`;

const observe = async (cluster: LocalCluster) => observeProcesses(await cluster.show());

function targetOf(targets: readonly NodeClient[], node: string): NodeClient {
  const target = targets.find(({ name }) => name === node);
  if (target === undefined) throw new Fault('internal', `no client was opened for ${node}`);
  return target;
}

async function apply({ machine }: NodeClient, text: string, signal: AbortSignal): Promise<void> {
  await machine.applyConfiguration({ data: Buffer.from(text), mode: Mode.NO_REBOOT }, { signal });
}

interface Settling {
  readonly cluster: LocalCluster;
  readonly client: { readonly targets: readonly NodeClient[] };
  readonly asking: Asking;
  readonly nodes: readonly NodeView[];
  readonly expected: readonly string[];
  readonly say: (reason: string) => void;
  readonly env: Pick<CliEnvironment, 'signal'>;
  /** The processes before the change; those of now by default. */
  readonly before?: ReadonlyMap<string, readonly ObservedProcess[]>;
}

/** Waits until the nodes have acted on their configuration. @throws Fault `deadline-exceeded` with what is missing */
async function settle(settling: Settling): Promise<void> {
  const { cluster, client, asking, nodes, expected, say, env } = settling;
  const until = performance.now() + settleTimeoutMs;
  let reason = '';
  let unchangedSince = performance.now();
  let known = '';
  for (;;) {
    env.signal.throwIfAborted();
    const all = await observe(cluster);
    const areReady = await Promise.all(
      nodes.map(async (node) => {
        const target = targetOf(client.targets, node.name);
        return asking.answers(serverOf(node)) && (await arePodsReady(target, env.signal));
      }),
    );
    const now = JSON.stringify([nodes.map(({ name }) => all.get(name)), areReady]);
    if (now !== known) unchangedSince = performance.now();
    known = now;
    const reasons = nodes.map(({ name }, at) => {
      const processes = all.get(name) ?? [];
      const waits = settlesFor({
        before: settling.before?.get(name) ?? processes,
        now: processes,
        expected,
        isReady: areReady[at] === true,
        unchangedMs: performance.now() - unchangedSince,
      });
      return waits === undefined ? undefined : `${name}: ${waits}`;
    });
    reason = reasons.find((each) => each !== undefined) ?? '';
    if (reason === '') return;
    say(reason);
    if (performance.now() > until)
      throw new Fault('deadline-exceeded', `${reason}: not within ${settleTimeoutMs / 1000} s`);
    await sleep(pollMs, undefined, { signal: env.signal });
  }
}

/** A node whose API is just busy is asked again. */
async function arePodsReady({ resources }: NodeClient, signal: AbortSignal): Promise<boolean> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(5_000)]);
  const pods = await resources.list(staticPodStatuses, { signal: within }).catch(() => []);
  return (
    pods.length > 0 &&
    pods.every(({ spec: { podStatus } }) => {
      const { conditions } = podStatus as { readonly conditions?: readonly { readonly status?: string }[] };
      return conditions?.every(({ status }) => status === 'True') === true;
    })
  );
}

function replacedIn(
  cluster: LocalCluster,
  nodes: readonly NodeView[],
  configurations: readonly Configuration[],
): RunProof['replaced'] {
  const [first] = nodes;
  if (first === undefined) return [];
  return configurations.flatMap((each) => cluster.configurationOf(first.name, each).replaced);
}
