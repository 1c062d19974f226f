import type { FieldDoc } from '../field-docs.ts';

/** What the reference of the configuration says about a field, or about a kind of document. */
export interface FieldReference extends FieldDoc {
  /** What counts while the field is not set, as text. Missing when that is unknown or nothing. */
  readonly default?: string;
  /** Validation refuses an object without the field. */
  readonly isRequired?: boolean;
  /** What nodes do not do with the field yet. It also holds for all fields inside. */
  readonly notApplied?: string;
}

/**
 * References by dotted path, without list indices. The empty path is the document itself. What a generated
 * configuration explains has its text in `../field-docs.ts`, so an entry here only adds to it, or replaces it.
 */
export type ReferenceDocs = Readonly<Record<string, Partial<FieldReference>>>;

/** References by kind. */
export type KindReferences = Readonly<Record<string, ReferenceDocs>>;

/** Nodes check and keep the setting, and no part of them reads it. */
export const notRead = 'Nodes validate and store it, but do not act on it yet.';

/** Nodes make resources of the setting, which `talosctl get` shows, and no part of them applies these. */
export const onlyPublished = 'Nodes publish it as resources, but do not apply it yet.';

/** Returns the same entries for fields inside of `path`; the empty path is `path` itself. */
export function inside(path: string, docs: ReferenceDocs): ReferenceDocs {
  const entries = Object.entries(docs);
  return Object.fromEntries(entries.map(([name, doc]) => [name === '' ? path : `${path}.${name}`, doc]));
}
