import { type NodeKind, nodeKinds } from '../../inert/node-kinds.ts';
import type { FieldDoc } from '../field-docs.ts';

/** Which nodes do not act on a field, in words and as kinds. */
export interface NotApplied {
  readonly text: string;
  /** No node of these kinds acts on it. Empty when all kinds do a part of what the field says. */
  readonly on: readonly NodeKind[];
  /** The name of the only document in which nodes act on the field. */
  readonly actsOnlyIn?: string;
  /** The value of the field that says what nodes do anyway. */
  readonly exceptFor?: string;
}

/** What the reference of the configuration says about a field, or about a kind of document. */
export interface FieldReference extends FieldDoc {
  /** What counts while the field is not set, as text. Missing when that is unknown or nothing. */
  readonly default?: string;
  /** Validation refuses an object without the field. */
  readonly isRequired?: boolean;
  /** What nodes do not do with the field yet. It also holds for the fields inside that have no own. */
  readonly notApplied?: NotApplied;
}

/**
 * References by dotted path, without list indices. The empty path is the document itself. What a generated
 * configuration explains has its text in `../field-docs.ts`, so an entry here only adds to it, or replaces it.
 */
export type ReferenceDocs = Readonly<Record<string, Partial<FieldReference>>>;

/** References by kind. */
export type KindReferences = Readonly<Record<string, ReferenceDocs>>;

/** All kinds of nodes act on the field, but not on everything that it says. */
export const partly = (text: string): NotApplied => ({ text, on: [] });

/** No node acts on the field. */
export const onNoNode = (text: string): NotApplied => ({ text, on: nodeKinds });

/** Only nodes of these kinds act on the field. */
export const onlyOn = (acting: readonly NodeKind[], text: string): NotApplied => ({
  text,
  on: nodeKinds.filter((kind) => !acting.includes(kind)),
});

/** Nodes check and keep the setting, and no part of them reads it. */
export const notRead = onNoNode('Nodes validate and store it, but do not act on it yet.');

/** The kernel of other nodes belongs to their host. */
export const onlyMachines = onlyOn(
  ['machine'],
  'Only machines do it: other nodes share the kernel of a host.',
);

/** Other nodes have the links, addresses, routes and rules that their host gives them. */
export const onlyOwnLinks = onlyOn(
  ['machine'],
  'Only machines apply it: the links of other nodes belong to their host.',
);

/** Other nodes get their addresses from their creator. */
export const onlyOwnNetworks = onlyOn(
  ['machine'],
  'Only machines do it: the creator of other nodes gives them their addresses.',
);

/** Other nodes look names up as their host does. */
export const onlyOwnNames = onlyOn(
  ['container', 'machine'],
  'Processes and stacks only publish it: their names are looked up with the settings of the host.',
);

/** Returns the same entries for fields inside of `path`; the empty path is `path` itself. */
export function inside(path: string, docs: ReferenceDocs): ReferenceDocs {
  const entries = Object.entries(docs);
  return Object.fromEntries(entries.map(([name, doc]) => [name === '' ? path : `${path}.${name}`, doc]));
}
