import type { ConfigDocument } from '../config-document.ts';
import { DocumentReader, type ValuePath } from '../effective/config-reader.ts';
import type { ConversionNote } from './conversion.ts';
import { DocumentDraft } from './document-draft.ts';
import { valueAt } from './value-path.ts';

/** What a rule sees of the configuration: sections that earlier rules have moved are gone. */
export class SectionContext {
  readonly legacy: DocumentReader;
  /** The v1alpha1 document before any rule, also with the sections that earlier rules have moved. */
  readonly source: DocumentReader;
  /** A patch says nothing of what it leaves out, so no defaults are written, and any kind of node may get it. */
  readonly isPatch: boolean;
  readonly documents: readonly ConfigDocument[];
  /** URL of the control plane in the source; empty when not set. */
  readonly endpoint: string;
  readonly #document: ConfigDocument;

  constructor(init: {
    legacy: ConfigDocument;
    source: ConfigDocument;
    isPatch: boolean;
    documents: readonly ConfigDocument[];
    endpoint: string;
  }) {
    this.#document = init.legacy;
    this.legacy = new DocumentReader(init.legacy);
    this.source = new DocumentReader(init.source);
    this.isPatch = init.isPatch;
    this.documents = init.documents;
    this.endpoint = init.endpoint;
  }

  get isControlPlane(): boolean {
    return ['init', 'controlplane'].includes(this.legacy.text('machine', 'type'));
  }

  /** Whether documents for control planes are allowed. */
  get mayBeControlPlane(): boolean {
    return this.isPatch || this.isControlPlane;
  }

  hasDocument(kind: string): boolean {
    return this.documents.some((document) => document.kind === kind);
  }

  value(path: ValuePath) {
    return valueAt(this.#document.value, path);
  }

  draft(kind: string): DocumentDraft {
    return new DocumentDraft(kind, { legacy: this.#document, isPatch: this.isPatch });
  }
}

export interface Proposal {
  readonly documents: readonly DocumentDraft[];
  /** Keys of the v1alpha1 document that the documents replace. */
  readonly removes: readonly ValuePath[];
  readonly notes?: readonly ConversionNote[];
  /** The documents come before those of other sections, because the order of the old lists matters. */
  readonly isFirst?: boolean;
  /** Keys are added to a document that exists, if it has none of them. */
  readonly extends?: boolean;
}

/** `undefined` when the source does not have the section. */
export type Outcome = Proposal | { readonly stays: string; readonly at?: ValuePath } | undefined;

export interface SectionRule {
  readonly section: ValuePath;
  readonly convert: (context: SectionContext) => Outcome;
}

export const forControlPlanes = 'only control planes read it, and validation refuses its document elsewhere';
