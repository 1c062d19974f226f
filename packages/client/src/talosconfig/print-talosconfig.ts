import { stringify } from 'yaml';
import type { Talosconfig, TalosconfigAuth, TalosconfigContext } from './talosconfig.ts';

/** Returns the keys in the order in which upstream writes them. The YAML printer omits undefined values. */
function plainContext(context: TalosconfigContext): object {
  return {
    endpoints: context.endpoints,
    nodes: context.nodes.length === 0 ? undefined : context.nodes,
    ca: context.ca,
    crt: context.crt,
    key: context.key?.reveal(),
    auth: context.auth === undefined ? undefined : plainAuth(context.auth),
    cluster: context.cluster,
    'proxy-url': context.proxyUrl,
    ...context.unknown,
  };
}

function plainAuth({ basic, siderov1 }: TalosconfigAuth): object {
  return {
    basic: basic === undefined ? undefined : { username: basic.username, password: basic.password.reveal() },
    siderov1,
  };
}

/**
 * Returns the text of the file, with its secrets. Contexts are sorted by name. The YAML layout is that of
 * upstream: four spaces, and lists indented below their key.
 */
export function printTalosconfig(config: Talosconfig): string {
  const names = [...config.contexts.keys()].sort();
  const contexts = new Map(
    names.map((name) => [name, plainContext(config.contexts.get(name) as TalosconfigContext)]),
  );
  return stringify(
    { context: config.context, contexts, ...config.unknown },
    { indent: 4, lineWidth: 0, aliasDuplicateObjects: false, keepUndefined: false },
  );
}
