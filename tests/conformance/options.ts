import { parseArgs } from 'node:util';

/** The clusters that the suite can make. */
export const ownClusterKinds = ['process', 'docker', 'node-image', 'qemu'] as const;
export type OwnClusterKind = (typeof ownClusterKinds)[number];

const isOwnClusterKind = (text: string): text is OwnClusterKind =>
  (ownClusterKinds as readonly string[]).includes(text);

export const usage = `usage: conformance.ts [flags]

Checks what a client may rely on, against a cluster of its own that is ended afterwards, or against any endpoint.

  --cluster KIND        process (default), docker, node-image or qemu: makes a cluster of this kind; CLUSTER
  --endpoint ADDRESS    check what is there instead; ENDPOINT
  --talosconfig FILE    how to get in there: its current context; TALOSCONFIG
  --node NODE           the node that is asked (default: the context's first, else the endpoint); TARGET_NODE
  --other-node NODE     another one of the same cluster, for checks of routing; OTHER_NODE
  --worker NODE         a worker of the same cluster, at whose own address it is asked; WORKER
  --secrets FILE        a secrets bundle: certificates for roles are signed with its CA, not asked of the node; SECRETS
  --only TEXT           only checks whose id or method contains it
  --out FILE            where the JSON goes (default _out/conformance.json)
  --help
`;

export interface ConformanceOptions {
  readonly cluster: OwnClusterKind;
  readonly endpoint: string | undefined;
  readonly talosconfig: string | undefined;
  readonly node: string | undefined;
  readonly otherNode: string | undefined;
  readonly worker: string | undefined;
  readonly secrets: string | undefined;
  readonly only: string | undefined;
  readonly out: string | undefined;
  readonly help: boolean;
}

/**
 * Flags override the environment; an empty variable counts as unset. Throws an Error whose message is for the
 * user.
 */
export function parseConformanceOptions(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
): ConformanceOptions {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ cluster: text, endpoint: text, talosconfig: text, node: text, 'other-node': text, worker: text },
      ...{ secrets: text, only: text, out: text, help: { type: 'boolean', default: false } },
    },
  });
  const given = (flag: string | undefined, variable: string) => flag ?? (environment[variable] || undefined);
  const cluster = given(values.cluster, 'CLUSTER') ?? 'process';
  if (!isOwnClusterKind(cluster))
    throw new Error(`there is no cluster of kind "${cluster}": it is ${ownClusterKinds.join(', ')}`);
  return {
    cluster,
    endpoint: given(values.endpoint, 'ENDPOINT'),
    talosconfig: given(values.talosconfig, 'TALOSCONFIG'),
    node: given(values.node, 'TARGET_NODE'),
    otherNode: given(values['other-node'], 'OTHER_NODE'),
    worker: given(values.worker, 'WORKER'),
    secrets: given(values.secrets, 'SECRETS'),
    only: values.only,
    out: values.out,
    help: values.help,
  };
}
