import type { YamlValue } from '../yaml/yaml-value.ts';
import { kubernetesDocs } from './kubernetes-docs.ts';
import { legacyClusterDocs, legacyMachineDocs } from './legacy-docs.ts';
import { nodeDocs } from './node-docs.ts';

/** Help and sample value of a field, for commented configurations. */
export interface FieldDoc {
  /** One line of text. */
  readonly help: string;
  /** Sample value, shown commented out while the field is not set. */
  readonly example?: YamlValue;
}

/** Docs by dotted path in the document, without list indices. The empty path is the document itself. */
export type DocumentDocs = Readonly<Record<string, FieldDoc>>;

const docsByKind: Readonly<Record<string, DocumentDocs>> = {
  v1alpha1: { ...legacyMachineDocs, ...legacyClusterDocs },
  ...nodeDocs,
  ...kubernetesDocs,
};

/** Returns the docs of the fields of generated documents. The texts are our own; other kinds have none. */
export function documentDocs(kind: string): DocumentDocs {
  return docsByKind[kind] ?? {};
}
