import type { ConfigDocument, Configuration } from '../config-document.ts';
import { labelOf } from '../decode/load-configuration.ts';
import { ConfigReader, type ValuePath } from '../effective/config-reader.ts';
import { legacyKind } from '../schema/document-schema.ts';
import { conflictErrors } from '../validate/conflicts.ts';
import { formatPosition } from '../yaml/config-node.ts';
import { entriesOf, isYamlList, type YamlValue } from '../yaml/yaml-value.ts';
import type { Conversion, ConversionNote, Move } from './conversion.ts';
import { backRules } from './to-sections/back-rules.ts';
import { unknownKeysOf } from './to-sections/unknown-keys.ts';
import { unknownKinds } from './to-sections/unknown-kinds.ts';
import { isUnset, valueAt, withoutValue, withValue } from './value-path.ts';

/** A value for the v1alpha1 document, and the part of a document that it comes from. */
export interface SectionValue {
  readonly to: readonly string[];
  readonly value: YamlValue;
  readonly document: ConfigDocument;
  readonly from: ValuePath;
  /** Adds to a list that is there already. */
  readonly appends?: boolean;
}

export interface BackProposal {
  readonly values: readonly SectionValue[];
  /** Documents that the sections replace. */
  readonly removes: readonly ConfigDocument[];
  /** Keys that leave a document that stays. */
  readonly shrinks?: readonly { readonly document: ConfigDocument; readonly path: ValuePath }[];
  readonly notes?: readonly ConversionNote[];
}

export interface BackContext {
  readonly reader: ConfigReader;
  readonly documents: readonly ConfigDocument[];
  readonly isControlPlane: boolean;
  readonly endpoint: string;
}

export type BackOutcome =
  | BackProposal
  | { readonly stays: string; readonly documents: readonly ConfigDocument[] }
  | undefined;
export type BackRule = (context: BackContext) => BackOutcome;

/**
 * Replaces documents that 1.13 does not know by the sections of the v1alpha1 document. A document with a key that has no section stays,
 * with a note, and so does every kind without a counterpart: a node of 1.13 refuses those.
 *
 * Source: Talos v1.14: version contracts; v1.13: validate.
 */
export function convertToSections(configuration: Configuration): Conversion {
  const source = configuration.find(({ kind }) => kind === legacyKind);
  if (source === undefined) return { configuration, notes: [], moves: new Map() };
  let documents = configuration;
  const notes: ConversionNote[] = [];
  const moves: Move[] = [];
  const endpoint = new ConfigReader(configuration).document('KubeClusterConfig')?.text('endpoint');
  for (const rule of backRules) {
    const reader = new ConfigReader(documents);
    const isControlPlane = ['init', 'controlplane'].includes(reader.legacy.text('machine', 'type'));
    const own = reader.legacy.text('cluster', 'controlPlane', 'endpoint');
    const outcome = rule({ reader, documents, isControlPlane, endpoint: endpoint || own });
    if (outcome === undefined) continue;
    const next = 'stays' in outcome ? outcome.stays : apply(documents, outcome);
    if (typeof next === 'string') {
      const about = 'stays' in outcome ? outcome.documents : outcome.removes;
      notes.push(...about.slice(0, 1).map((document) => kept(document, next)));
      continue;
    }
    documents = next;
    if ('values' in outcome) {
      notes.push(...(outcome.notes ?? []));
      moves.push(...outcome.values.map(({ to, document, from }) => ({ to, document, from })));
    }
  }
  const unknown = documents.filter(({ kind }) => unknownKinds.has(kind));
  const named = new Set(notes.map(({ key }) => key));
  for (const document of unknown)
    if (!named.has(labelOf(document)))
      notes.push(kept(document, '1.13 does not know this kind, and refuses it'));
  for (const document of documents)
    for (const key of unknownKeysOf(document)) {
      const note = kept(document, '1.13 does not know this key, and refuses the document');
      notes.push({ ...note, key: `${note.key}: ${key}` });
    }
  return { configuration: documents, notes, moves: new Map([[legacyKind, moves]]) };
}

function kept(document: ConfigDocument, text: string): ConversionNote {
  const { origin } = document;
  const position = origin ? { position: formatPosition(origin.root) } : {};
  return { kind: 'kept', key: labelOf(document), text, ...position };
}

/** The configuration with the sections, or why they cannot be added. */
function apply(documents: Configuration, proposal: BackProposal): Configuration | string {
  const legacy = documents.find(({ kind }) => kind === legacyKind);
  if (legacy === undefined) return 'there is no v1alpha1 document';
  let { value } = legacy;
  for (const { to, value: added, appends } of proposal.values) {
    const old = valueAt(value, to);
    const isFree = isUnset(old) || old === false;
    if (!isFree && !appends) return `v1alpha1.Config has ${to.join('.')} already`;
    const all = appends && isYamlList(old) && isYamlList(added) ? [...old, ...added] : added;
    value = withValue(value, to, all);
  }
  const shrunk = new Map(
    (proposal.shrinks ?? []).map(({ document, path }) => [
      document,
      {
        kind: document.kind,
        value: withoutValue(document.value, path),
        ...(document.origin && { origin: document.origin }),
      },
    ]),
  );
  const next = documents
    .filter((document) => !proposal.removes.includes(document))
    .map((document) =>
      document === legacy
        ? { kind: legacyKind, value, ...(legacy.origin && { origin: legacy.origin }) }
        : (shrunk.get(document) ?? document),
    )
    .filter((document) => ![...shrunk.values()].includes(document) || entriesOf(document.value).length > 0);
  const before = new Set(conflictErrors(documents));
  return conflictErrors(next).find((error) => !before.has(error)) ?? next;
}
