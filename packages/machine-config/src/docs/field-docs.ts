import type { YamlValue } from '../yaml/yaml-value.ts';
import { kubernetesDocs } from './kubernetes-docs.ts';
import { legacyClusterDocs, legacyMachineDocs } from './legacy-docs.ts';
import { nodeDocs } from './node-docs.ts';

/** What is said about a field in a commented configuration. */
export interface FieldDoc {
  /** One line. */
  readonly help: string;
  /** A value to start from, shown commented out while the field has none. */
  readonly example?: YamlValue;
}

/** By dotted path inside the document, without positions in lists; the empty path is the document itself. */
export type DocumentDocs = Readonly<Record<string, FieldDoc>>;

const docsByKind: Readonly<Record<string, DocumentDocs>> = {
  v1alpha1: { ...legacyMachineDocs, ...legacyClusterDocs },
  ...nodeDocs,
  ...kubernetesDocs,
};

/** Our own texts, for the documents and fields that are generated. Other kinds have none. */
export function documentDocs(kind: string): DocumentDocs {
  return docsByKind[kind] ?? {};
}
