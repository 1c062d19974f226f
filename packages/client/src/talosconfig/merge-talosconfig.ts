import type { Talosconfig, TalosconfigContext } from './talosconfig.ts';

export interface ContextRename {
  readonly from: string;
  readonly to: string;
}

export interface TalosconfigMerge {
  readonly config: Talosconfig;
  /**
   * The incoming contexts that were renamed because their name was taken, in the order of the incoming file.
   */
  readonly renames: readonly ContextRename[];
}

function firstFreeName(wanted: string, taken: ReadonlyMap<string, unknown>): string {
  if (!taken.has(wanted)) return wanted;
  for (let suffix = 1; ; suffix += 1) {
    const name = `${wanted}-${suffix}`;
    if (!taken.has(name)) return name;
  }
}

/**
 * Adds the contexts of `incoming` to `base`, whose contexts stay unchanged. An incoming context whose name is
 * taken gets the first free suffix `-1`, `-2`, ..., even when both contexts are equal. The current context of
 * `incoming`, if any, becomes the current one. Source: Talos v1.14: merging of client configurations.
 */
export function mergeTalosconfig(base: Talosconfig, incoming: Talosconfig): TalosconfigMerge {
  const contexts = new Map<string, TalosconfigContext>(base.contexts);
  const renames: ContextRename[] = [];
  let current = base.context;
  for (const [from, context] of incoming.contexts) {
    const to = firstFreeName(from, contexts);
    contexts.set(to, context);
    if (to !== from) renames.push({ from, to });
    if (from === incoming.context) current = to;
  }
  return { config: { ...base, context: current, contexts }, renames };
}
