import { readTalosconfig } from '@nodewright/client/talosconfig';
import { listClusters } from '@nodewright/provision';
import type { ClusterOptions } from '../local-clusters/cluster-options.ts';
import { talosconfigLocation } from '../nodes/talosconfig-of.ts';
import type { CompletionRequest } from './completion-request.ts';
import { callTimeoutMs, knownEndpoints, knownNodes } from './known-nodes.ts';

/** Names of the contexts in the talosconfig. */
export async function contextNames({ env, nodeOptions }: CompletionRequest): Promise<readonly string[]> {
  const { contexts } = await readTalosconfig(talosconfigLocation(env, nodeOptions).path);
  return [...contexts.keys()].sort();
}

/** Names and addresses of the nodes. */
export async function nodeNames({ env, nodeOptions }: CompletionRequest): Promise<readonly string[]> {
  const { names, addresses } = await knownNodes(env, nodeOptions);
  return [...new Set([...names, ...addresses])];
}

/** Endpoints of the cluster. */
export async function endpointNames({ env, nodeOptions }: CompletionRequest): Promise<readonly string[]> {
  return [...new Set(await knownEndpoints(env, nodeOptions))];
}

/** Names of the local clusters. */
export async function clusterNames({ env, command }: CompletionRequest): Promise<readonly string[]> {
  const { clusterRef } = await import('../local-clusters/cluster-options.ts');
  return await listClusters(clusterRef(env, command.optsWithGlobals<ClusterOptions>()).clustersFolder);
}

/** Names of the nodes of the local cluster that the command line or the context names. */
export async function clusterNodeNames({ env, command }: CompletionRequest): Promise<readonly string[]> {
  const [{ clusterRef, provisionerOf }, { withChosenCluster }] = await Promise.all([
    import('../local-clusters/cluster-options.ts'),
    import('../local-clusters/chosen-cluster.ts'),
  ]);
  const options = await withChosenCluster<ClusterOptions>(env, command);
  const view = await (await provisionerOf(env, options)).show(clusterRef(env, options));
  return view.nodes.map(({ name }) => name);
}

/** Names of the network interfaces of the nodes. */
export async function interfaceNames({ env, nodeOptions }: CompletionRequest): Promise<readonly string[]> {
  const [{ openClient }, { onlyMessage }] = await Promise.all([
    import('../nodes/open-client.ts'),
    import('../nodes/only-message.ts'),
  ]);
  using client = await openClient(env, nodeOptions);
  const names = new Set<string>();
  const results = client.fanOut(
    async ({ machine }, signal) => onlyMessage(await machine.networkDeviceStats({}, { signal })).devices,
    { signal: AbortSignal.timeout(callTimeoutMs) },
  );
  for await (const { value } of results) for (const { name } of value ?? []) names.add(name);
  return [...names].sort();
}

/** Paths on the first node that begin with the typed text. */
export async function pathsOnNode(
  { env, nodeOptions }: CompletionRequest,
  typed: string,
): Promise<readonly string[]> {
  const [{ openClient }, { nodePaths }] = await Promise.all([
    import('../nodes/open-client.ts'),
    import('./node-paths.ts'),
  ]);
  using client = await openClient(env, nodeOptions);
  const [node] = client.targets;
  return node === undefined ? [] : await nodePaths(node, typed, AbortSignal.timeout(callTimeoutMs));
}

export async function resourceKinds(request: CompletionRequest): Promise<readonly string[]> {
  return (await import('./known-resources.ts')).resourceKinds(request);
}

/** Ids of the resources whose type is the previous argument. */
export async function idsOfKindBefore(request: CompletionRequest): Promise<readonly string[]> {
  const [kind = ''] = request.args;
  return (await import('./known-resources.ts')).resourceIds(request, kind);
}

/** Ids of the resources of a type. */
export const idsOf = (kind: string) => async (request: CompletionRequest) =>
  (await import('./known-resources.ts')).resourceIds(request, kind);

export async function serviceNames(request: CompletionRequest): Promise<readonly string[]> {
  return (await import('./known-services.ts')).serviceIds(request);
}
