import { isDeepStrictEqual } from 'node:util';
import type { Kubeconfig, KubeconfigContext, NamedEntry } from './kubeconfig.ts';

export type KubeconfigPart = 'cluster' | 'auth info' | 'context';

export interface KubeconfigRename {
  readonly part: KubeconfigPart;
  readonly from: string;
  readonly to: string;
}

export interface KubeconfigConflict {
  readonly part: KubeconfigPart;
  readonly name: string;
}

export interface MergeKubeconfigOptions {
  /** Entries of the base to overwrite; others of the same name get another name. */
  readonly overwrites: (conflict: KubeconfigConflict) => boolean;
  /** The name of the incoming context; by default its own. */
  readonly contextName?: string | undefined;
}

export interface KubeconfigMerge {
  readonly config: Kubeconfig;
  readonly renames: readonly KubeconfigRename[];
  /** Contexts of the base that lead to another server or authority than the incoming one of this name, and stayed. */
  readonly keptContexts: readonly KubeconfigConflict[];
}

/** The entries of `incoming` whose name is taken in `base` by an entry with other content. */
export function kubeconfigConflicts(base: Kubeconfig, incoming: Kubeconfig): KubeconfigConflict[] {
  return [
    ...clashes(base.clusters, incoming.clusters).map((name) => ({ part: 'cluster', name }) as const),
    ...clashes(base.users, incoming.users).map((name) => ({ part: 'auth info', name }) as const),
  ];
}

/**
 * The contexts that lead to another server, authority or user in `later` than in `earlier`, or only exist in one of these. The user
 * was asked about what `earlier` has.
 */
export function changedContexts(earlier: Kubeconfig, later: Kubeconfig): KubeconfigConflict[] {
  const target = (config: Kubeconfig, name: string) => {
    const context = config.contexts.find((entry) => entry.name === name);
    return context && [context.context.user, targetOf(context, config.clusters)];
  };
  return [...earlier.contexts, ...later.contexts]
    .filter(({ name }) => !isDeepStrictEqual(target(earlier, name), target(later, name)))
    .map(({ name }) => ({ part: 'context', name }));
}

/**
 * Adds the entries of `incoming` to `base` and makes its current context the current one. An entry whose name is taken
 * overwrites the other, or gets the first free suffix `-1`, `-2`, ...; the new name of a cluster also appears in the names of
 * its users, and theirs in the names of contexts. A context of the same name is overwritten as well; unlike upstream, one that
 * leads to another server or authority only as the other entries are. Source: Talos v1.14: kubeconfig.
 */
export function mergeKubeconfig(
  base: Kubeconfig,
  incoming: Kubeconfig,
  { overwrites, contextName }: MergeKubeconfigOptions,
): KubeconfigMerge {
  const renames: KubeconfigRename[] = [];
  const clusters = new Names(base.clusters);
  const clusterNames = new Map<string, string>();
  for (const entry of incoming.clusters) {
    const to = clusters.add(entry, entry.name, overwrites({ part: 'cluster', name: entry.name }));
    clusterNames.set(entry.name, to);
    if (to !== entry.name) renames.push({ part: 'cluster', from: entry.name, to });
  }
  const users = new Names(base.users);
  const userNames = new Map<string, string>();
  for (const entry of incoming.users) {
    const wanted = withNewNames(entry.name, clusterNames);
    const to = users.add(entry, wanted, overwrites({ part: 'auth info', name: entry.name }));
    userNames.set(entry.name, to);
    if (to !== entry.name) renames.push({ part: 'auth info', from: entry.name, to });
  }
  const keptContexts: KubeconfigConflict[] = [];
  const contexts = new Names(base.contexts);
  let currentContext = base.currentContext;
  for (const entry of incoming.contexts) {
    const wanted = contextName ?? userNames.get(entry.name) ?? withNewNames(entry.name, clusterNames);
    const added = withReferences(entry, clusterNames, userNames);
    const conflict = { part: 'context', name: wanted } as const;
    const known = contexts.get(wanted) as KubeconfigContext | undefined;
    const isElsewhere =
      known !== undefined &&
      !isDeepStrictEqual(targetOf(known, clusters.entries), targetOf(added, clusters.entries));
    const isKept = isElsewhere && !overwrites(conflict);
    if (isKept) keptContexts.push(conflict);
    const to = contexts.add(added, wanted, !isKept);
    if (to !== entry.name) renames.push({ part: 'context', from: entry.name, to });
    if (entry.name === incoming.currentContext) currentContext = to;
  }
  return {
    config: {
      ...base,
      clusters: clusters.entries,
      users: users.entries,
      contexts: contexts.entries as readonly KubeconfigContext[],
      currentContext,
    },
    renames,
    keptContexts,
  };
}

/** What a context leads to: the fields of its cluster that say which server it is, and how that is recognised. */
function targetOf({ context }: KubeconfigContext, clusters: readonly NamedEntry[]): unknown {
  const body = clusters.find(({ name }) => name === context.cluster)?.cluster;
  if (typeof body !== 'object' || body === null) return undefined;
  const { server, ...fields } = body as Record<string, unknown>;
  return [server, fields['certificate-authority-data'], fields['certificate-authority']];
}

/** Named entries, in order. */
class Names {
  readonly #entries: Map<string, NamedEntry>;

  constructor(entries: readonly NamedEntry[]) {
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
  }

  get entries(): readonly NamedEntry[] {
    return [...this.#entries.values()];
  }

  get(name: string): NamedEntry | undefined {
    return this.#entries.get(name);
  }

  /** Returns the name that the entry got. */
  add(entry: NamedEntry, wanted: string, overwrites: boolean): string {
    const known = this.#entries.get(wanted);
    const isFree = known === undefined || overwrites || isSame(known, entry);
    const name = isFree ? wanted : this.#firstFree(wanted);
    this.#entries.set(name, { ...entry, name });
    return name;
  }

  #firstFree(wanted: string): string {
    for (let suffix = 1; ; suffix += 1)
      if (!this.#entries.has(`${wanted}-${suffix}`)) return `${wanted}-${suffix}`;
  }
}

function clashes(base: readonly NamedEntry[], incoming: readonly NamedEntry[]): string[] {
  return incoming
    .filter((entry) => base.some((known) => known.name === entry.name && !isSame(known, entry)))
    .map(({ name }) => name);
}

function isSame({ name: _, ...a }: NamedEntry, { name: __, ...b }: NamedEntry): boolean {
  return isDeepStrictEqual(a, b);
}

/** `admin@a` becomes `admin@a-1` when the cluster `a` became `a-1`. */
function withNewNames(name: string, clusters: ReadonlyMap<string, string>): string {
  for (const [from, to] of clusters) {
    if (name === from) return to;
    if (name.endsWith(`@${from}`)) return name.slice(0, -from.length) + to;
  }
  return name;
}

function withReferences(
  entry: KubeconfigContext,
  clusters: ReadonlyMap<string, string>,
  users: ReadonlyMap<string, string>,
): KubeconfigContext {
  const { cluster, user } = entry.context;
  const context = {
    ...entry.context,
    cluster: clusters.get(cluster) ?? cluster,
    user: users.get(user) ?? user,
  };
  return { ...entry, context };
}
