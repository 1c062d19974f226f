import { ports } from '@nodewright/contract';
import type { Fault } from '@nodewright/fault';
import type { ClusterView, NodeView } from '@nodewright/provision';
import type { CliEnvironment } from '../context/command-module.ts';
import type { NodeFailure } from '../context/failure.ts';
import type { NodeOptions } from '../nodes/node-options.ts';
import { isUnknownNode } from './advice.ts';

/** What is known about nodes that are no members of the cluster of the context. */
export interface AbsentNodes {
  /** What to do about each, in one line. */
  readonly lines: readonly string[];
  /** The nodes that the lines are about, as the user named them. */
  readonly explained: ReadonlySet<string>;
}

/** A command line with hundreds of nodes dials this many of them. */
const maxNodes = 16;
/** Of one look at a node. */
const lookTimeoutMs = 3_000;

/** A node that a command failed for. */
interface Subject {
  /** As the user named it. */
  readonly node: string | undefined;
  /** The endpoint, when that one failed; else the node. */
  readonly name: string;
  /** The node of the local cluster. */
  readonly own: NodeView | undefined;
  /** `host` or `host:port` of its API, if it can be dialled. */
  readonly api: string | undefined;
  readonly isUnknown: boolean;
}

/**
 * Looks why nodes are no members: they were reset and are in maintenance, or their local cluster has stopped them. A node that the local
 * cluster does not have is dialled only when its certificate was the failure, so a misspelt name is not.
 */
export async function absentNodes(
  env: CliEnvironment,
  options: NodeOptions,
  failures: readonly NodeFailure[],
): Promise<AbsentNodes> {
  const relevant = failures.filter(({ fault }) => isUnknownNode(fault) || hasForeignCertificate(fault));
  if (relevant.length === 0) return { lines: [], explained: new Set() };
  const { localCluster } = await import('../completion/known-nodes.ts');
  const { readContext } = await import('../nodes/talosconfig-of.ts');
  const { name } = await readContext(env, options);
  const cluster = await localCluster(env, name).catch(() => undefined);
  const subjects = relevant.slice(0, maxNodes).flatMap((failure) => subjectOf(failure, cluster) ?? []);
  const texts = await Promise.all(
    subjects.map(async (subject) => ({ subject, text: await explain(subject, cluster, options) })),
  );
  const explained = texts.flatMap(({ subject, text }) => (text === undefined ? [] : (subject.node ?? [])));
  return {
    lines: [...new Set(texts.flatMap(({ text }) => text ?? []))],
    explained: new Set(explained),
  };
}

/** The certificate of a node in maintenance is of its own authority. */
function hasForeignCertificate({ kind, message }: Fault): boolean {
  return kind === 'unavailable' && /certificate is (?:self-signed and )?not issued by/.test(message);
}

function subjectOf({ node, fault }: NodeFailure, cluster: ClusterView | undefined): Subject | undefined {
  const isUnknown = isUnknownNode(fault);
  const endpoint = isUnknown ? undefined : /^endpoint (\S+): /.exec(fault.message)?.[1];
  const named = endpoint ?? node;
  if (named === undefined) return undefined;
  const own = cluster?.nodes.find(({ name, address, published }) =>
    [name, address, `${address}:${ports.apid}`, published].includes(named),
  );
  const api = own === undefined ? (isUnknown ? undefined : named) : (own.published ?? own.address);
  return { node, name: named, own, api, isUnknown };
}

async function explain(
  { name, own, api, isUnknown }: Subject,
  cluster: ClusterView | undefined,
  options: NodeOptions,
): Promise<string | undefined> {
  const isMaintained = async () => api !== undefined && (await isInMaintenance(api));
  if (own === undefined || cluster === undefined)
    return (await isMaintained())
      ? `${name} answers as a node in maintenance: "talosctl apply-config --insecure --cert-fingerprint <fingerprint on its console> -n ${name} -f <file>" gives it a configuration`
      : undefined;
  // Without --context and --talosconfig, the cluster commands find the cluster of the context by themselves.
  const isCurrent = options.context === undefined && options.talosconfig === undefined;
  const flag = isCurrent ? '' : ` --name ${cluster.name}`;
  if (own.state === 'stopped' || own.state === 'off') {
    const which = cluster.state === 'running' ? ` ${own.name}` : '';
    return `${own.name} does not run: "talosctl cluster start${flag}${which}" starts it`;
  }
  if (await isMaintained())
    return `${own.name} is in maintenance: "talosctl cluster join${flag} ${own.name}" gives it its configuration`;
  return isUnknown
    ? `${own.name} is a node of this cluster, but not a member now: "talosctl cluster logs${flag} ${own.name}" shows why`
    : undefined;
}

/** Whether the node answers a caller without a certificate. A worker that waits for its certificate does not answer this call. */
async function isInMaintenance(api: string): Promise<boolean> {
  const { openTalosClient } = await import('@nodewright/client');
  try {
    using client = openTalosClient({
      nodes: [api],
      insecure: { fingerprints: [] },
      connectTimeoutMs: lookTimeoutMs,
    });
    await client.node(api).storage.disks({}, { signal: AbortSignal.timeout(lookTimeoutMs) });
    return true;
  } catch {
    return false;
  }
}
