import {
  certificateEnd,
  emptyContext,
  mergeTalosconfig,
  parseTalosconfig,
  readExistingTalosconfig,
  type Talosconfig,
  updateTalosconfig,
  withContext,
  withoutContext,
} from '@nodewright/client/talosconfig';

export interface ContextPlace {
  readonly path: string;
  /** The name of the context. Empty when it is unknown; every context of the cluster then matches. */
  readonly context: string;
}

/**
 * Adds a context for the cluster to the user's talosconfig and makes it the current one. It has the cluster's
 * name, with the first free suffix if the name is taken. Source: Talos v1.14: merging of client
 * configurations.
 */
export async function addClusterContext(path: string, clusterTalosconfig: string): Promise<ContextPlace> {
  const incoming = parseTalosconfig(clusterTalosconfig);
  const after = await updateTalosconfig(
    { path, writable: true },
    (base) => mergeTalosconfig(base, incoming).config,
  );
  return { path, context: after.context };
}

/** Returns the names of the contexts at this place that belong to the cluster: those with the same CA. */
export async function findClusterContexts(
  place: ContextPlace,
  clusterTalosconfig: string,
): Promise<string[]> {
  const config = await readExistingTalosconfig(place.path);
  return config === undefined ? [] : namesOf(config, place, clusterTalosconfig);
}

/**
 * Gives the contexts of the cluster the client certificate of its own talosconfig, where theirs ends soon. One with other
 * roles stays.
 */
export async function renewClusterContexts(
  place: ContextPlace,
  clusterTalosconfig: string,
  now: Date,
): Promise<void> {
  const own = parseTalosconfig(clusterTalosconfig);
  const { crt, key } = own.contexts.get(own.context) ?? emptyContext;
  const end = certificateEnd({ ...emptyContext, ...(crt && { crt }) }, now);
  if (crt === undefined || key === undefined || end === undefined || end.isDue) return;
  const dueIn = (config: Talosconfig) =>
    namesOf(config, place, clusterTalosconfig).filter((name) => {
      const known = certificateEnd(config.contexts.get(name) ?? emptyContext, now);
      return known?.isDue === true && known.subject === end.subject;
    });
  // Without a lock first: the folder may be read-only, and mostly nothing is due.
  const config = await readExistingTalosconfig(place.path);
  if (config === undefined || dueIn(config).length === 0) return;
  await updateTalosconfig({ path: place.path, writable: true }, (current) =>
    dueIn(current).reduce(
      (before, name) =>
        withContext(before, name, { ...(before.contexts.get(name) ?? emptyContext), crt, key }),
      current,
    ),
  );
}

/** Removes the cluster's context. A context of the same name that the user made for another cluster stays. */
export async function removeClusterContext(place: ContextPlace, clusterTalosconfig: string): Promise<void> {
  if ((await findClusterContexts(place, clusterTalosconfig)).length === 0) return;
  await updateTalosconfig({ path: place.path, writable: true }, (config) => {
    const names = namesOf(config, place, clusterTalosconfig);
    const rest = names.reduce(withoutContext, config);
    if (!names.includes(config.context)) return rest;
    // With a single context left, make it the current one. With several, the user has to choose.
    const [only = '', ...others] = rest.contexts.keys();
    return { ...rest, context: others.length === 0 ? only : '' };
  });
}

function namesOf(config: Talosconfig, place: ContextPlace, clusterTalosconfig: string): string[] {
  const own = parseTalosconfig(clusterTalosconfig);
  const authority = own.contexts.get(own.context)?.ca;
  return [...config.contexts]
    .filter(([name, { ca }]) => ca === authority && (place.context === '' || place.context === name))
    .map(([name]) => name);
}
