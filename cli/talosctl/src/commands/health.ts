import type { NodeClient, TalosClient } from '@nodewright/client';
import type { ClusterNodes } from '@nodewright/client/health';
import { Fault, faultFrom } from '@nodewright/fault';
import { InvalidArgumentError } from 'commander';
import { CommandLimit } from '../context/command-limit.ts';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import { Progress } from '../context/progress.ts';
import { NodeErrors } from '../nodes/node-errors.ts';
import {
  addNodeOptions,
  addOutputOption,
  collectList,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { openClient } from '../nodes/open-client.ts';
import { escapeEntry } from '../output/escape-text.ts';
import { documentError, writeDocument } from '../render/document.ts';
import { parseGoDuration } from '../values/go-duration.ts';
import { HealthLines } from './health-lines.ts';

interface HealthOptions extends NodeOptions, OutputOptions {
  readonly server: boolean;
  readonly waitTimeout: bigint;
  readonly controlPlaneNodes?: readonly string[];
  readonly workerNodes?: readonly string[];
  readonly initNode?: string;
  readonly k8sEndpoint?: string;
  readonly runE2e?: boolean;
}

const nanosInSecond = 1_000_000_000n;
const defaultTimeout = '20m0s';
const defaultTimeoutNanos = 1200n * nanosInSecond;
/** How much longer the answer of a control plane is waited for, which knows better what is missing. */
const answerNanos = 4n * nanosInSecond;

/** Accepts the words that Go parses as booleans. Source: Talos v1.14: boolean flags take the words of Go. */
function parseServer(text: string): boolean {
  if (/^(1|t|T|TRUE|true|True)$/.test(text)) return true;
  if (/^(0|f|F|FALSE|false|False)$/.test(text)) return false;
  throw new InvalidArgumentError('It must be true or false.');
}

/** The nodes that the command line names. */
function namedNodes({ initNode, controlPlaneNodes = [], workerNodes = [] }: HealthOptions): ClusterNodes {
  return {
    controlPlanes: initNode === undefined ? controlPlaneNodes : [initNode, ...controlPlaneNodes],
    workers: workerNodes,
  };
}

/** Runs the checks on a control plane and yields the lines that it sends. */
async function* checkOnServer(
  node: NodeClient,
  options: HealthOptions,
  interrupt: AbortSignal,
): AsyncGenerator<string> {
  const { controlPlanes, workers } = namedNodes(options);
  const { waitTimeout } = options;
  const request = {
    waitTimeout: { seconds: waitTimeout / nanosInSecond, nanos: Number(waitTimeout % nanosInSecond) },
    clusterInfo: {
      controlPlaneNodes: [...controlPlanes],
      workerNodes: [...workers],
      forceEndpoint: options.k8sEndpoint ?? '',
    },
  };
  using limit = new CommandLimit(waitTimeout + answerNanos, interrupt);
  const { signal } = limit;
  try {
    for await (const { message } of node.cluster.healthCheck(request, { signal })) yield message;
  } catch (error) {
    if (!limit.isOver) throw error;
    const seconds = Number(waitTimeout / 1_000_000n) / 1000;
    throw new Fault('deadline-exceeded', `the checks on node ${node.name} did not end within ${seconds} s`);
  }
}

/** Runs the checks in this program, with the user's credentials. */
async function* checkOnClient(
  client: TalosClient,
  node: NodeClient,
  options: HealthOptions,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { checkHealth, discoverNodes } = await import('@nodewright/client/health');
  const named = namedNodes(options);
  const isDiscovered = named.controlPlanes.length + named.workers.length === 0;
  const discover = (attempt: AbortSignal) => discoverNodes(node, attempt);
  using limit = new CommandLimit(options.waitTimeout, signal);
  const nodes = isDiscovered
    ? await limit.guard(discover(limit.signal)).catch((error) => {
        const { kind, message } = faultFrom(error);
        throw kind === 'failed-precondition'
          ? new Fault(kind, `${message}, with --control-plane-nodes and --worker-nodes`)
          : error;
      })
    : named;
  const timeoutMs = Number(options.waitTimeout / 1_000_000n);
  yield* checkHealth({
    ...{ nodes, node: (address) => client.node(address), timeoutMs, signal, spentMs: limit.spentMs },
    ...(isDiscovered && { rediscover: discover }),
    kubernetesEndpoint: options.k8sEndpoint,
  });
}

/** Without a terminal, a check that takes long is named after this time, and again after as long, in milliseconds. */
const patienceMs = 30_000;

/** Says without a terminal what a check waits for that takes long: a script has a log of it. */
function remind({ stderr }: CliEnvironment, shown: HealthLines): Disposable {
  const say = () => {
    const line = shown.end();
    if (line !== undefined) stderr.write(`${line}\n`);
  };
  const timer = stderr.isTTY ? undefined : setInterval(say, patienceMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function runHealth(env: CliEnvironment, options: HealthOptions): Promise<void> {
  if (options.runE2e)
    throw new UsageFault('flag --run-e2e is not implemented: this program has no Kubernetes tests');
  using client = await openClient(env, options);
  const [node, ...others] = client.targets;
  if (node === undefined || others.length > 0) {
    throw new UsageFault(
      `health works on one node, and ${client.targets.length} are named; use flag --nodes`,
    );
  }
  const shown = new HealthLines();
  let failure: Fault | undefined;
  let isCancelled = false;
  using progress = new Progress(env.stderr, () => `waiting for ${shown.pending ?? node.name}`);
  using reminder = remind(env, shown);
  const print = (line: string | undefined) => {
    if (line === undefined) return;
    progress.pause();
    env.stderr.write(`${env.stderr.isTTY ? escapeEntry(line) : line}\n`);
  };
  try {
    const lines = options.server
      ? checkOnServer(node, options, env.signal)
      : checkOnClient(client, node, options, env.signal);
    for await (const line of lines) {
      print(shown.take(line));
    }
  } catch (error) {
    const fault = faultFrom(error);
    // A cancelled check has neither failed nor passed. Source: Talos v1.14: health.
    if (fault.kind === 'cancelled') isCancelled = true;
    else failure = fault;
  }
  reminder[Symbol.dispose]();
  progress[Symbol.dispose]();
  if (!isCancelled) print(shown.end());
  if (isCancelled) env.stderr.write('cancelled: the checks had not ended\n');
  if (options.output !== 'table') {
    const error = failure === undefined ? {} : { error: documentError(failure) };
    const healthy = failure === undefined && !isCancelled && !env.signal.aborted;
    await writeDocument(env.stdout, options.output, {
      node: node.name,
      healthy,
      checks: shown.states,
      ...error,
    });
  }
  if (failure === undefined) return;
  const errors = new NodeErrors(env);
  errors.add(node.name, failure);
  errors.end();
}

/** `talosctl health`. Source: Talos v1.14: health. */
export const healthCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command))
      .option(
        '--server [boolean]',
        'run the checks on a control plane instead of in this program',
        parseServer,
        true,
      )
      .option(
        '--wait-timeout <duration>',
        `how long to wait for all checks to pass (default: ${defaultTimeout})`,
        parseGoDuration,
      )
      .option(
        '--control-plane-nodes <nodes>',
        'addresses of the control planes (default: discovered)',
        collectList,
      )
      .option('--worker-nodes <nodes>', 'addresses of the workers (default: discovered)', collectList)
      .option('--init-node <node>', 'address of the init node, a control plane')
      .option('--k8s-endpoint <endpoint>', 'Kubernetes endpoint to use instead of the configured one')
      .option('--run-e2e', 'run Kubernetes end-to-end tests as well (not implemented)')
      .action(({ waitTimeout = defaultTimeoutNanos, ...options }: HealthOptions) =>
        runHealth(env, { ...options, waitTimeout }),
      );
  },
};
