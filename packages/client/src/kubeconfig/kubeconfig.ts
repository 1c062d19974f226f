// Kubeconfig files as data. Source: Kubernetes: kubeconfig (v1).
import { Fault } from '@nodewright/fault';
import { parse, stringify } from 'yaml';

/** A named entry of a kubeconfig. Fields that this program does not know are kept. */
export interface NamedEntry {
  readonly name: string;
  readonly [key: string]: unknown;
}

export interface KubeconfigContext extends NamedEntry {
  readonly context: { readonly cluster: string; readonly user: string; readonly [key: string]: unknown };
}

/** The content of a kubeconfig file. It may hold keys, passwords and tokens. */
export interface Kubeconfig {
  readonly clusters: readonly NamedEntry[];
  readonly users: readonly NamedEntry[];
  readonly contexts: readonly KubeconfigContext[];
  readonly currentContext: string;
  /** All other fields. */
  readonly others: Readonly<Record<string, unknown>>;
}

export const emptyKubeconfig: Kubeconfig = {
  clusters: [],
  users: [],
  contexts: [],
  currentContext: '',
  others: { apiVersion: 'v1', kind: 'Config', preferences: {} },
};

/**
 * Parses a kubeconfig; an empty text is an empty one.
 *
 * @param source the name of the file in errors, which never quote its content
 * @throws Fault `invalid-argument` for a text that is no kubeconfig
 */
export function parseKubeconfig(text: string, source: string): Kubeconfig {
  const wrong = (what: string) => new Fault('invalid-argument', `${source} is no kubeconfig: ${what}`);
  const document = parsedYaml(text, wrong);
  if (document === null) return emptyKubeconfig;
  if (!isMap(document)) throw wrong('it is not a map');
  const { clusters, users, contexts, 'current-context': current = '', ...others } = document;
  if (others.kind !== undefined && others.kind !== 'Config') throw wrong('its kind is not Config');
  const entries = (value: unknown, key: string): NamedEntry[] => {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw wrong(`${key} is not a list`);
    return value.map((entry) => {
      if (!isMap(entry) || typeof entry.name !== 'string') throw wrong(`an entry of ${key} has no name`);
      return entry as NamedEntry;
    });
  };
  return {
    clusters: entries(clusters, 'clusters'),
    users: entries(users, 'users'),
    contexts: entries(contexts, 'contexts').map((entry) => {
      const { context } = entry;
      if (!isMap(context) || typeof context.cluster !== 'string' || typeof context.user !== 'string')
        throw wrong('a context has no cluster or no user');
      return entry as KubeconfigContext;
    }),
    currentContext: typeof current === 'string' ? current : '',
    others,
  };
}

/** The text of a kubeconfig, in the order in which kubectl writes the fields. */
export function printKubeconfig(config: Kubeconfig): string {
  const { apiVersion = 'v1', kind = 'Config', ...others } = config.others;
  return stringify(
    {
      ...{ apiVersion, clusters: config.clusters, contexts: config.contexts },
      ...{ 'current-context': config.currentContext, kind, ...others, users: config.users },
    },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
}

function parsedYaml(text: string, wrong: (what: string) => Fault): unknown {
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch {
    // The message of the parser may quote a line with a key.
    throw wrong('it is not YAML');
  }
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
