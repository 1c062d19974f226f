import type { YamlMap } from '@nodewright/machine-config';
import type { JsonObject } from '@nodewright/state';
import { jsonFromYaml } from './json-from-yaml.ts';
import { components } from './pod-paths.ts';

/**
 * The static pods of the user, `<namespace>-<name>` as id. A pod without a name, one with the id of a component, and all but
 * the first of the same id are left out.
 */
export function userPods(pods: readonly YamlMap[]): { readonly id: string; readonly pod: JsonObject }[] {
  const found = new Map<string, JsonObject>();
  for (const pod of pods.map(jsonFromYaml)) {
    const id = idOf(pod);
    if (id !== undefined && !found.has(id) && !components.some((name) => name === id)) found.set(id, pod);
  }
  return [...found].map(([id, pod]) => ({ id, pod }));
}

function idOf({ metadata }: JsonObject): string | undefined {
  const { name, namespace } = (metadata ?? {}) as { readonly name?: unknown; readonly namespace?: unknown };
  if (typeof name !== 'string' || name === '') return undefined;
  return `${typeof namespace === 'string' && namespace !== '' ? namespace : 'default'}-${name}`;
}
