import type { NodeClient } from '@nodewright/client';
import { ContainerDriver } from '@nodewright/contract/gen/common/common.ts';
import type { ConnectRecord } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import {
  addNodeOptions,
  addOutputFlag,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { onlyMessage } from '../nodes/only-message.ts';
import { reportNodes } from '../nodes/report-nodes.ts';
import { outputFormats } from '../render/output-format.ts';
import { type ColumnFlags, socketCells, socketTitles } from '../values/netstat-columns.ts';
import { netstatRequest, type SocketFlags } from '../values/netstat-request.ts';

interface NetstatOptions extends NodeOptions, OutputOptions, SocketFlags, ColumnFlags {}

/** The reply of one node: its sockets, and pod ids by network namespace. */
interface NodeSockets {
  readonly sockets: readonly ConnectRecord[];
  readonly pods: ReadonlyMap<string, string>;
}

/** Pod ids of a node by the name of their network namespace. */
async function podsByNamespace(node: NodeClient, signal: AbortSignal): Promise<Map<string, string>> {
  const request = { namespace: 'k8s.io', driver: ContainerDriver.CRI };
  const { containers } = onlyMessage(await node.machine.containers(request, { signal }));
  return new Map(
    containers
      .filter(({ networkNamespace }) => networkNamespace !== '')
      .map(({ networkNamespace, podId }) => [networkNamespace, podId]),
  );
}

async function netstat(env: CliEnvironment, options: NetstatOptions, pod: string | undefined): Promise<void> {
  const needsPods = options.pods === true || pod !== undefined;
  let isFound = false;

  const call = async (node: NodeClient, signal: AbortSignal): Promise<NodeSockets> => {
    const pods = needsPods ? await podsByNamespace(node, signal) : new Map<string, string>();
    const namespace = [...pods].find(([, id]) => id === pod)?.[0];
    if (pod !== undefined && namespace === undefined) return { sockets: [], pods };
    isFound = true;
    const reply = await node.machine.netstat(netstatRequest(options, namespace), { signal });
    return { sockets: onlyMessage(reply).connectrecord, pods };
  };

  await reportNodes<NodeSockets>(env, options, {
    call,
    header: ['NODE', ...socketTitles(options)],
    headerWithoutRows: false,
    flushWhenIdle: false,
    rows: (node, { sockets, pods }) =>
      sockets.map((record) => [
        node,
        ...socketCells(record, options, (namespace) => pods.get(namespace) ?? ''),
      ]),
    document: ({ sockets, pods }) => ({
      sockets: needsPods
        ? sockets.map((record) => ({ ...record, pod: pods.get(record.netns) ?? '' }))
        : sockets,
    }),
  });
  if (!isFound) throw new Fault('not-found', `pod "${pod}" runs on none of the nodes`);
}

/**
 * Upstream's `-o` shows timers, so `json` in `-o json` would be a pod. Pods are written with a slash, so this program
 * takes `-o json` for the output format, as in other commands.
 */
function withOutput(
  options: NetstatOptions,
  pod: string | undefined,
): { options: NetstatOptions; pod: string | undefined } {
  const format = outputFormats.find((known) => known === pod);
  if (format !== undefined && options.timers === true) {
    return { options: { ...options, timers: false, output: format }, pod: undefined };
  }
  if (pod !== undefined && !/^[^/]+\/[^/]+$/.test(pod)) {
    throw new UsageFault(`"${pod}" is not a pod: write namespace/pod`);
  }
  return { options, pod };
}

/** `talosctl netstat`. Source: Talos v1.14: netstat. */
export const netstatCommand: CommandModule = {
  define(command, env) {
    addOutputFlag(addNodeOptions(command), '--output <format>')
      .argument('[pod]', 'pod to show instead of the host, as namespace/pod')
      .option('-a, --all', 'show listening and connected sockets (default: connected ones)')
      .option('-l, --listening', 'show listening sockets')
      .option('-t, --tcp', 'show TCP')
      .option('-u, --udp', 'show UDP')
      .option('-U, --udplite', 'show UDP-Lite')
      .option('-w, --raw', 'show raw sockets')
      .option('-4, --ipv4', 'show IPv4 only')
      .option('-6, --ipv6', 'show IPv6 only')
      .option('-v, --verbose', 'show sockets of all protocols')
      .option('-x, --extend', 'show owner and inode of a socket')
      .option('-p, --programs', 'show the process that holds a socket')
      .option('-k, --pods', 'show sockets of Kubernetes pods as well')
      .option('-o, --timers', 'show timers (`-o json` means --output json)')
      .action((word: string | undefined, given: NetstatOptions) => {
        const { options, pod } = withOutput(given, word);
        return netstat(env, options, pod);
      });
  },
};
