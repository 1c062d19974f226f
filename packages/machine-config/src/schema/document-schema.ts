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

/** The name that messages give to the document without `kind`. */
export const legacyKind = 'v1alpha1';

/** The only version of documents. */
export const documentVersion = 'v1alpha1';

export interface DocumentSchema {
  readonly kind: string;
  /** Several documents of this kind may stand side by side, each with a name of its own. */
  readonly isNamed: boolean;
  /** Without `apiVersion` and `kind`. */
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

/** Every kind of document, the legacy one included. */
export const documentKinds: readonly string[] = [legacyKind, ...Object.keys(tables)];

/** The schema of a kind, `legacyKind` included; undefined for a kind that does not exist. Parsed on first use. */
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
