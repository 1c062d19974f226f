import {
  mergeTalosconfig,
  parseTalosconfig,
  readExistingTalosconfig,
  type Talosconfig,
  updateTalosconfig,
  withoutContext,
} from '@nodewright/client/talosconfig';

export interface ContextPlace {
  readonly path: string;
  /** Empty when it is not known: then every context that leads to the cluster is meant. */
  readonly context: string;
}

/**
 * Adds a cluster's way in to the user's talosconfig, as a context of the cluster's name or, when that is taken, with
 * the first free suffix; it becomes the current one. Source: Talos v1.14: merging of client configurations.
 */
export async function addClusterContext(path: string, clusterTalosconfig: string): Promise<ContextPlace> {
  const incoming = parseTalosconfig(clusterTalosconfig);
  const after = await updateTalosconfig(
    { path, writable: true },
    (base) => mergeTalosconfig(base, incoming).config,
  );
  return { path, context: after.context };
}

/** The contexts at this place that still lead to the cluster: they trust the same certificate authority. */
export async function findClusterContexts(
  place: ContextPlace,
  clusterTalosconfig: string,
): Promise<string[]> {
  const config = await readExistingTalosconfig(place.path);
  return config === undefined ? [] : namesOf(config, place, clusterTalosconfig);
}

/** Removes the cluster's context, unless the user has put another cluster's in its place. */
export async function removeClusterContext(place: ContextPlace, clusterTalosconfig: string): Promise<void> {
  if ((await findClusterContexts(place, clusterTalosconfig)).length === 0) return;
  await updateTalosconfig({ path: place.path, writable: true }, (config) => {
    const names = namesOf(config, place, clusterTalosconfig);
    const rest = names.reduce(withoutContext, config);
    if (!names.includes(config.context)) return rest;
    // The only one left is what its user means; among several that is not for us to say.
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
