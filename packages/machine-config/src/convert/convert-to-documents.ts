import { faultFrom } from '@nodewright/fault';
import type { ConfigDocument, Configuration } from '../config-document.ts';
import { labelOf, loadConfiguration } from '../decode/load-configuration.ts';
import { clusterSettings } from '../effective/cluster-settings.ts';
import { ConfigReader, formatPath, type ValuePath } from '../effective/config-reader.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { legacyKind } from '../schema/document-schema.ts';
import { CheckedDocument, noFindings } from '../validate/checked-document.ts';
import { conflictErrors } from '../validate/conflicts.ts';
import { documentRules } from '../validate/document-rules.ts';
import { findNode, formatPosition } from '../yaml/config-node.ts';
import { configurationLimits, formatLimit } from '../yaml/configuration-limits.ts';
import { entriesOf } from '../yaml/yaml-value.ts';
import type { Conversion, ConversionNote, Move } from './conversion.ts';
import type { DocumentDraft } from './document-draft.ts';
import { type Proposal, SectionContext, type SectionRule } from './section-rule.ts';
import { clusterRules } from './to-documents/cluster-rules.ts';
import { kubernetesRules } from './to-documents/kubernetes-rules.ts';
import { machineRules } from './to-documents/machine-rules.ts';
import { networkRules } from './to-documents/network-rules.ts';
import { isUnset, valueAt, withoutValue } from './value-path.ts';

export interface ConvertOptions {
  /** The configuration is a strategic patch: it may hold any part of a document, and gets no defaults. */
  readonly isPatch?: boolean;
}

/** The components come first: whether they stay decides about the endpoint and the network. */
const rules: readonly SectionRule[] = [...kubernetesRules, ...clusterRules, ...machineRules, ...networkRules];

/**
 * Replaces sections of the v1alpha1 document by the documents of 1.14. A section with a key that has no counterpart stays as a
 * whole, with a note. A default that differs between the forms is written out, with a note. Secrets and all values stay as they are.
 *
 * Source: Talos v1.14: machine configuration, v1alpha1 document, all other documents.
 */
export function convertToDocuments(configuration: Configuration, options: ConvertOptions = {}): Conversion {
  const source = configuration.find(({ kind }) => kind === legacyKind);
  if (source === undefined) return { configuration, notes: [], moves: new Map() };
  const { endpoint } = clusterSettings(new ConfigReader(configuration)).cluster;
  const state = new State(source, configuration, options.isPatch === true);
  for (const rule of rules) {
    const { legacy, others, isPatch } = state;
    const outcome = rule.convert(
      new SectionContext({ legacy, source, isPatch, documents: others, endpoint }),
    );
    if (outcome === undefined) continue;
    if ('stays' in outcome) state.keep(outcome.at ?? rule.section, rule.section, outcome.stays);
    else state.propose(rule, outcome);
  }
  return state.finish(configuration);
}

class State {
  readonly isPatch: boolean;
  legacy: ConfigDocument;
  others: readonly ConfigDocument[];
  readonly #source: ConfigDocument;
  #first: readonly ConfigDocument[] = [];
  #added: readonly ConfigDocument[] = [];
  readonly #notes: ConversionNote[] = [];
  readonly #moves = new Map<string, readonly Move[]>();

  constructor(source: ConfigDocument, configuration: Configuration, isPatch: boolean) {
    this.#source = source;
    this.legacy = source;
    this.others = configuration.filter(({ kind }) => kind !== legacyKind);
    this.isPatch = isPatch;
  }

  /** @param at the key that is the reason, which may be below the section that stays */
  keep(at: ValuePath, section: ValuePath, text: string): void {
    this.#notes.push({ kind: 'kept', key: formatPath(section), text, ...this.#position(at) });
  }

  propose(rule: SectionRule, proposal: Proposal): void {
    let { value } = this.legacy;
    for (const path of proposal.removes) value = withoutValue(value, path);
    const left = { kind: legacyKind, value };
    const drafted = this.#documentsFrom(proposal, left);
    if (typeof drafted === 'string') {
      this.keep(rule.section, rule.section, drafted);
      return;
    }
    for (const { draft, document, extended } of drafted) {
      const label = labelOf(document);
      this.#moves.set(label, [...(this.#moves.get(label) ?? []), ...draft.moves]);
      this.#notes.push(...draft.notes);
      const place = (list: readonly ConfigDocument[]) =>
        list.map((each) => (each === extended ? document : each));
      if (extended !== undefined) {
        this.others = place(this.others);
        this.#added = place(this.#added);
      }
    }
    const fresh = drafted.filter(({ extended }) => extended === undefined).map(({ document }) => document);
    if (proposal.isFirst) this.#first = [...this.#first, ...fresh];
    else this.#added = [...this.#added, ...fresh];
    for (const note of proposal.notes ?? []) this.#notes.push({ ...note, ...this.#position(rule.section) });
    this.legacy = left;
  }

  finish(before: Configuration): Conversion {
    const isSame = this.legacy === this.#source;
    const isEmpty = entriesOf(this.legacy.value).every(([, value]) => isUnset(value));
    const hasSections = !(this.isPatch && isEmpty);
    const configuration = isSame
      ? before
      : [...(hasSections ? [this.legacy] : []), ...this.#first, ...this.#added, ...this.others];
    return { configuration, notes: this.#notes, moves: this.#moves };
  }

  /** The documents, or why they cannot be used. */
  #documentsFrom(proposal: Proposal, left: ConfigDocument) {
    const drafted: {
      draft: DocumentDraft;
      document: ConfigDocument;
      extended: ConfigDocument | undefined;
    }[] = [];
    const known = new Map(
      [...this.others, ...this.#first, ...this.#added].map((document) => [labelOf(document), document]),
    );
    for (const draft of proposal.documents) {
      const label = labelOf(draft);
      const existing = known.get(label);
      const extended = proposal.extends ? existing : undefined;
      if (existing !== undefined && extended === undefined) return `a document ${label} is there already`;
      const overlap = entriesOf(draft.value).find(
        ([key]) => key !== 'name' && valueAt(extended?.value, [key]) !== undefined,
      );
      if (overlap !== undefined) return `the document ${label} has a key ${overlap[0]} already`;
      const merged = { kind: draft.kind, value: { ...extended?.value, ...draft.value } };
      const problem = this.#problemOf(merged);
      if (typeof problem === 'string') return problem;
      const { origin } = extended ?? {};
      const document = origin === undefined ? problem : { ...problem, origin };
      known.set(label, document);
      drafted.push({ draft, document, extended });
    }
    const count = known.size + entriesOf(left.value).slice(0, 1).length;
    if (count > configurationLimits.documents)
      return `a configuration cannot have more than ${formatLimit(configurationLimits.documents)} documents`;
    // A patch adds to a configuration, which may have the section or the document.
    const [conflict] = this.isPatch ? [] : conflictErrors([left, ...drafted.map(({ document }) => document)]);
    return conflict ?? drafted;
  }

  /** The document as it is read again, or the error of that. */
  #problemOf(document: ConfigDocument): ConfigDocument | string {
    const label = labelOf(document);
    try {
      const [read] = loadConfiguration(encodeConfiguration([document]));
      if (read === undefined) return `${label} would be empty`;
      const findings = noFindings();
      // Reading adds the keys that are always written. A patch must not set them.
      if (this.isPatch) return document;
      const plain = { kind: read.kind, value: read.value };
      documentRules[plain.kind]?.(new CheckedDocument(plain, findings));
      const [error] = findings.errors;
      return error === undefined ? plain : `its document ${label} would be refused: ${error}`;
    } catch (error) {
      const text = faultFrom(error).message.replace(/^document \d+, line \d+, column \d+: /, '');
      return `its document ${label} would be refused: ${text.split('\n').at(-1)?.trim()}`;
    }
  }

  #position(path: ValuePath): { position?: string } {
    const { origin } = this.#source;
    if (origin === undefined || valueAt(this.#source.value, path.slice(0, 1)) === undefined) return {};
    return { position: formatPosition(findNode(origin.root, path)) };
  }
}
