import { documentSchema } from './document-schema.ts';
import type { FieldMap, FieldSchema } from './parse-schema.ts';

/** A field of a kind and where it stands. */
export interface FieldPath {
  /** Dotted; `[]` stands for the elements of a list, `*` for the values of a map. */
  readonly path: string;
  readonly field: FieldSchema;
}

/** Every field of a kind of documents, parents before their parts; none for a kind that does not exist. */
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
