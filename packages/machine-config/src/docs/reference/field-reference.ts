import { legacyKind } from '../../schema/document-schema.ts';
import { fieldPaths } from '../../schema/field-paths.ts';
import { documentDocs } from '../field-docs.ts';
import { blockReferences } from './block.ts';
import { criReferences } from './cri.ts';
import { kubernetesReferences } from './kubernetes.ts';
import { legacyClusterReference } from './legacy-cluster.ts';
import { legacyMachineReference } from './legacy-machine.ts';
import { legacyNetworkReference } from './legacy-network.ts';
import { linkReferences } from './link.ts';
import { networkReferences } from './network.ts';
import type { FieldReference, KindReferences, ReferenceDocs } from './reference-docs.ts';
import { runtimeReferences } from './runtime.ts';
import { securityReferences } from './security.ts';

const references: KindReferences = {
  [legacyKind]: { ...legacyMachineReference, ...legacyNetworkReference, ...legacyClusterReference },
  ...blockReferences,
  ...criReferences,
  ...kubernetesReferences,
  ...linkReferences,
  ...networkReferences,
  ...runtimeReferences,
  ...securityReferences,
};

/** The kinds that have entries here. */
export const referencedKinds: readonly string[] = Object.keys(references);

/** Returns the entries of a kind that are written here. */
export function ownReference(kind: string): ReferenceDocs {
  return Object.hasOwn(references, kind) ? (references[kind] ?? {}) : {};
}

/**
 * Returns the reference of a kind: an entry for each path of `fieldPaths()`, in its order, after the entry of
 * the document itself, whose path is empty. Empty for an unknown kind. The texts are our own. Source: Talos
 * v1.14: machine configuration.
 */
export function fieldReference(kind: string): ReadonlyMap<string, FieldReference> {
  const paths = fieldPaths(kind).map(({ path }) => path);
  const [docs, own] = [documentDocs(kind), ownReference(kind)];
  const entryOf = (path: string): FieldReference => {
    const key = path.replaceAll('[]', '');
    return { help: '', ...docs[key], ...own[key] };
  };
  return new Map((paths.length === 0 ? [] : ['', ...paths]).map((path) => [path, entryOf(path)]));
}
