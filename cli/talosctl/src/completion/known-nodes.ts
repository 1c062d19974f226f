import type { TalosconfigContext } from '@nodewright/client/talosconfig';
import type { ClusterView } from '@nodewright/provision';
import type { CliEnvironment } from '../context/command-module.ts';
import type { NodeOptions } from '../nodes/node-options.ts';
import { readContext } from '../nodes/talosconfig-of.ts';

/** Timeout of calls to nodes in milliseconds: a completion must not make the user wait. */
export const callTimeoutMs = 1000;

/** Nodes of a context, as far as they are known without a long wait. */
export interface KnownNodes {
  /** Names that commands accept as nodes. */
  readonly names: readonly string[];
  readonly addresses: readonly string[];
}

const nothing: KnownNodes = { names: [], addresses: [] };

/**
 * The nodes of the context: those that it lists, and those of its local cluster. Without a local cluster, the members
 * that the first endpoint returns are added instead. Source: Talos v1.14: completion of --nodes.
 */
export async function knownNodes(env: CliEnvironment, options: Partial<NodeOptions>): Promise<KnownNodes> {
  const { name, context } = await readContext(env, options);
  const local = await nodesOfLocalCluster(env, name).catch(() => nothing);
  const members = local.names.length > 0 ? nothing : await membersOf(env, options).catch(() => nothing);
  const { parseEndpoint } = await import('@nodewright/client/endpoint');
  return {
    names: [...context.nodes, ...local.names, ...members.names],
    addresses: [...local.addresses, ...endpointsOf(context, options).map((text) => parseEndpoint(text).host)],
  };
}

/** Endpoints of the context's cluster: those of the context, and the addresses of its nodes. */
export async function knownEndpoints(
  env: CliEnvironment,
  options: Partial<NodeOptions>,
): Promise<readonly string[]> {
  const { name, context } = await readContext(env, options);
  const local = await nodesOfLocalCluster(env, name).catch(() => nothing);
  return [...context.endpoints, ...context.nodes, ...local.addresses];
}

function endpointsOf({ endpoints }: TalosconfigContext, options: Partial<NodeOptions>): readonly string[] {
  return options.endpoints?.length ? options.endpoints : endpoints;
}

async function nodesOfLocalCluster(env: CliEnvironment, context: string): Promise<KnownNodes> {
  const { nodes = [] } = (await localCluster(env, context)) ?? {};
  return { names: nodes.map(({ name }) => name), addresses: nodes.map(({ address }) => address) };
}

/** The local cluster of a context; `undefined` when it has none. A context has the name of its cluster, with a number appended if that name was taken. */
export async function localCluster(env: CliEnvironment, context: string): Promise<ClusterView | undefined> {
  const { clusterRef, provisionerOf } = await import('../local-clusters/cluster-options.ts');
  for (const name of new Set([context, context.replace(/-\d+$/, '')])) {
    const provisioner = await provisionerOf(env, { name });
    const view = await provisioner.show(clusterRef(env, { name })).catch(() => undefined);
    if (view?.talosconfig?.context === context) return view;
  }
  return undefined;
}

async function membersOf(env: CliEnvironment, options: Partial<NodeOptions>): Promise<KnownNodes> {
  const { openClient } = await import('../nodes/open-client.ts');
  using client = await openClient(env, { ...options, insecure: false, certFingerprint: [] });
  const request = { namespace: 'cluster', type: 'Members.cluster.talos.dev' };
  const signal = AbortSignal.timeout(callTimeoutMs);
  const names: string[] = [];
  for await (const { resource } of client.firstEndpoint().state.list(request, { signal })) {
    if (resource?.metadata !== undefined) names.push(resource.metadata.id);
  }
  return { names: names.sort(), addresses: [] };
}
