import type { YamlMap } from '../yaml/yaml-value.ts';
import type { DocumentReader } from './config-reader.ts';

/** Quantities of processor and memory by `cpu` and `memory`, only those that are set. */
export interface ComponentResources {
  readonly requests: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

/** What a component requests and may use, from the key `resources`. */
export function componentResources(component: DocumentReader): ComponentResources {
  return {
    requests: quantities(component.map('resources', 'requests')),
    limits: quantities(component.map('resources', 'limits')),
  };
}

/** Numbers are accepted as quantities, too. */
function quantities(map: YamlMap): Record<string, string> {
  const entries = Object.entries(map).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
