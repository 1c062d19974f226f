import { type FieldMap, type FieldSchema, parseSchema, type SchemaTable } from './parse-schema.ts';
import { blockDocuments } from './tables/block.ts';
import { criDocuments } from './tables/cri.ts';
import { kubernetesDocuments } from './tables/kubernetes.ts';
import { legacyClusterFields } from './tables/legacy-cluster.ts';
import { legacyMachineFields } from './tables/legacy-machine.ts';
import { legacyNetworkFields } from './tables/legacy-network.ts';
import { linkDocuments } from './tables/link.ts';
import { networkDocuments } from './tables/network.ts';
import { runtimeDocuments } from './tables/runtime.ts';
import { securityDocuments } from './tables/security.ts';

/** Name of the kind of the document without `kind`, also in messages. */
export const legacyKind = 'v1alpha1';

/** The only supported `apiVersion`. */
export const documentVersion = 'v1alpha1';

export interface DocumentSchema {
  readonly kind: string;
  /** Whether a configuration may have several documents of this kind, with different names. */
  readonly isNamed: boolean;
  /** All fields except `apiVersion` and `kind`. */
  readonly fields: FieldMap;
}

const tables: SchemaTable = {
  ...blockDocuments,
  ...criDocuments,
  ...kubernetesDocuments,
  ...linkDocuments,
  ...networkDocuments,
  ...runtimeDocuments,
  ...securityDocuments,
};

const parsed = new Map<string, DocumentSchema>();

/** All kinds of documents, including the legacy one. */
export const documentKinds: readonly string[] = [legacyKind, ...Object.keys(tables)];

/**
 * Returns the schema of a kind, including `legacyKind`, or `undefined` for an unknown kind. A schema is
 * parsed on first use.
 */
export function documentSchema(kind: string): DocumentSchema | undefined {
  const known = parsed.get(kind);
  if (known) return known;
  const schema = kind === legacyKind ? legacySchema() : schemaFromTable(kind);
  if (schema) parsed.set(kind, schema);
  return schema;
}

function schemaFromTable(kind: string): DocumentSchema | undefined {
  const text = Object.hasOwn(tables, kind) ? tables[kind] : undefined;
  if (text === undefined) return undefined;
  const fields = parseSchema(text);
  return { kind, isNamed: fields.has('name'), fields };
}

function legacySchema(): DocumentSchema {
  const root = parseSchema('version str !\ndebug bool\npersist bool\nmachine obj !null\ncluster obj !null');
  const machine = parseSchema(legacyMachineFields);
  const network = { ...required(machine, 'network'), fields: parseSchema(legacyNetworkFields) };
  const parts: Record<string, FieldMap> = {
    machine: new Map([...machine, ['network', network]]),
    cluster: parseSchema(legacyClusterFields),
  };
  const fields = [...root].map(([name, field]): [string, FieldSchema] => [
    name,
    { ...field, fields: parts[name] ?? field.fields },
  ]);
  return { kind: legacyKind, isNamed: false, fields: new Map(fields) };
}

function required(fields: FieldMap, name: string): FieldSchema {
  const field = fields.get(name);
  if (!field) throw new Error(`schema: ${name} is missing`);
  return field;
}
