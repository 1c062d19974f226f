// Makes the inert table from the notes of the reference, so that the documentation and the warnings of nodes say the same.
import type { InertRow, InertTable } from '../../inert/inert-row.ts';
import { type NodeKind, nodeKinds } from '../../inert/node-kinds.ts';
import { documentKinds, documentSchema } from '../../schema/document-schema.ts';
import type { FieldMap } from '../../schema/parse-schema.ts';
import { fieldReference } from './field-reference.ts';
import type { FieldReference, NotApplied } from './reference-docs.ts';

/** The note that holds for a field: its own, or that of the nearest field or document around it. */
export function noteOf(reference: ReadonlyMap<string, FieldReference>, path: string): NotApplied | undefined {
  const own = reference.get(path)?.notApplied;
  if (own !== undefined || path === '') return own;
  return noteOf(reference, path.includes('.') ? path.replace(/(?:\[\]|\.\*)?\.[^.]+$/, '') : '');
}

interface Node {
  readonly path: string;
  readonly note: NotApplied | undefined;
  readonly children: readonly Node[];
  /** Kinds of nodes that act on nothing in it. */
  readonly on: readonly NodeKind[];
}

/** A row covers all fields inside, so a child has one of its own only for further kinds of nodes. */
export function inertRows(kind: string): InertRow[] {
  const schema = documentSchema(kind);
  if (schema === undefined) return [];
  const reference = fieldReference(kind);
  return rowsOf(nodeOf('', schema.fields, reference), []);
}

/** All kinds of documents with rows, without the marks of plain configurations. */
export function inertTableOf(): InertTable {
  const rows = documentKinds.map((kind) => [kind, inertRows(kind)] as const);
  return Object.fromEntries(rows.filter(([, list]) => list.length > 0));
}

function nodeOf(path: string, fields: FieldMap, reference: ReadonlyMap<string, FieldReference>): Node {
  const note = noteOf(reference, path);
  const children = [...fields.values()].map((field) => {
    const around = path === '' ? field.name : `${insideOf(path, reference)}.${field.name}`;
    return nodeOf(around, field.fields, reference);
  });
  const on =
    children.length === 0
      ? (note?.on ?? [])
      : nodeKinds.filter((kind) => children.every((child) => child.on.includes(kind)));
  return { path, note, children, on };
}

/** How the paths of the fields inside begin: the reference has them all. */
function insideOf(path: string, reference: ReadonlyMap<string, FieldReference>): string {
  const found = [`${path}[]`, `${path}.*`].find((start) =>
    reference.keys().some((each) => each.startsWith(`${start}.`)),
  );
  return found ?? path;
}

function rowsOf({ path, note, children, on }: Node, covered: readonly NodeKind[]): InertRow[] {
  const actsOnlyIn = children.length === 0 ? note?.actsOnlyIn : undefined;
  const isNew = on.some((kind) => !covered.includes(kind));
  const exceptFor = children.length === 0 ? note?.exceptFor : undefined;
  const row: InertRow = {
    ...{ path, on },
    ...(actsOnlyIn !== undefined && { actsOnlyIn }),
    ...(exceptFor !== undefined && { exceptFor }),
  };
  const own = isNew || actsOnlyIn !== undefined ? [row] : [];
  return [...own, ...children.flatMap((child) => rowsOf(child, on))];
}
