// A whole example of each kind of document: as many of the examples of its fields as are valid together.
import { documentKinds, fieldPaths, legacyKind } from '@nodewright/machine-config';
import { inertTable } from '@nodewright/machine-config/inert';
import { encodeYaml, fieldReference } from '@nodewright/machine-config/reference';
import {
  assembleDocument,
  findingsAbout,
} from '../../packages/machine-config/src/docs/reference/testing/sample-documents.ts';

/** A document that shows a kind. */
export interface ExampleDocument {
  readonly kind: string;
  /** YAML. Certificates and keys in it are shortened. */
  readonly text: string;
  /** What the validator says about it, with whole certificates and keys: nothing. */
  readonly findings: readonly string[];
}

/**
 * The large document has fields for what newer documents say, too. Its example has what `talosctl gen config` writes into it, and what people
 * change most.
 */
const legacyFields: readonly string[] = [
  ...['machine.type', 'machine.token', 'machine.ca.crt', 'machine.ca.key', 'machine.certSANs'],
  ...['machine.kubelet.image', 'machine.kubelet.extraArgs', 'machine.install.disk', 'machine.install.image'],
  ...['machine.nodeLabels', 'machine.features.rbac', 'machine.features.imageCache.localEnabled'],
  ...[
    'cluster.id',
    'cluster.secret',
    'cluster.clusterName',
    'cluster.controlPlane.endpoint',
    'cluster.token',
  ],
  ...['cluster.network.dnsDomain', 'cluster.network.podSubnets', 'cluster.network.serviceSubnets'],
  ...['cluster.ca.crt', 'cluster.ca.key', 'cluster.etcd.ca.crt', 'cluster.etcd.ca.key'],
];

/** Fields that are alternatives to others of the example, or that hardly anybody needs. */
const omitted: readonly RegExp[] = [
  /^HostnameConfig auto$/,
  /^\w+ encryption\.keys\[\]\.(?:kms|tpm)/,
  /^BondConfig (?!(?:name|links|bondMode|miimon|updelay|downdelay|xmitHashPolicy|lacpRate|mtu|addresses|routes)\b)/,
  /^\w+ hardwareAddr$/,
];

/** An example of each kind, in the order of the kinds. */
export function exampleDocuments(): Promise<ExampleDocument[]> {
  return Promise.all(documentKinds.map(exampleOf));
}

async function exampleOf(kind: string): Promise<ExampleDocument> {
  const reference = fieldReference(kind);
  const paths = fieldPaths(kind).filter(({ path }) => isShown(kind, path));
  const withExample = paths.filter(({ path }) => reference.get(path)?.example !== undefined);
  // A document of switches alone has no examples; each of its switches is on.
  const candidates =
    withExample.length > 0 ? withExample : paths.filter(({ field }) => field.type === 'bool');
  let chosen: readonly string[] = [];
  let findings = await findingsOf(kind, chosen);
  for (const { path } of candidates) {
    if (chosen.some((one) => path.startsWith(`${one}.`) || path.startsWith(`${one}[]`))) continue;
    const next = await findingsOf(kind, [...chosen, path]);
    if (next.length > findings.length) continue;
    chosen = [...chosen, path];
    findings = next;
  }
  return { kind, text: encodeYaml(assembleDocument(kind, chosen)), findings };
}

/** Whether the example of a kind may have a field: one that machines act on, unless they act on nothing of that kind. */
function isShown(kind: string, path: string): boolean {
  if (kind === legacyKind) return legacyFields.includes(path);
  if (omitted.some((pattern) => pattern.test(`${kind} ${path}`))) return false;
  const rows = (inertTable[kind] ?? []).filter(({ on }) => on.includes('machine'));
  return rows.some((row) => row.path === '') || !rows.some((row) => isWithin(path, row.path));
}

const isWithin = (path: string, parent: string) =>
  path === parent || path.startsWith(`${parent}.`) || path.startsWith(`${parent}[]`);

async function findingsOf(kind: string, chosen: readonly string[]): Promise<readonly string[]> {
  try {
    return await findingsAbout(kind, assembleDocument(kind, chosen));
  } catch (cause) {
    return Array.from({ length: 100 }, () => String(cause));
  }
}
