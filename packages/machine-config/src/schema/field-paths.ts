import { documentSchema } from './document-schema.ts';
import type { FieldMap, FieldSchema } from './parse-schema.ts';

/** A field of a kind with its path. */
export interface FieldPath {
  /** Dotted path; `[]` means the elements of a list, `*` the values of a map. */
  readonly path: string;
  readonly field: FieldSchema;
}

/** Returns all fields of a kind, parents before their children; empty for an unknown kind. */
export function fieldPaths(kind: string): FieldPath[] {
  const schema = documentSchema(kind);
  return schema ? pathsOf(schema.fields, '') : [];
}

function pathsOf(fields: FieldMap, base: string): FieldPath[] {
  return [...fields.values()].flatMap((field) => {
    const path = base === '' ? field.name : `${base}.${field.name}`;
    const inside = field.type === 'list' ? `${path}[]` : field.type === 'map' ? `${path}.*` : path;
    return [{ path, field }, ...pathsOf(field.fields, inside)];
  });
}
