import type { SchemaAnswer, SchemaField } from '../../protocol/calls.ts';
import type { YamlPlace } from './yaml-place.ts';

/** Something that may stand at a place. */
export interface Candidate {
  readonly label: string;
  /** What is written. */
  readonly text: string;
  /** The type of a field. */
  readonly detail?: string;
  readonly help?: string;
}

interface SchemaNode {
  readonly field: SchemaField | undefined;
  readonly children: Map<string, SchemaNode>;
}

/** The schema, ready to be searched. */
export type SchemaTree = ReadonlyMap<string, SchemaNode & { readonly help: string }>;

export function schemaTree({ kinds }: SchemaAnswer): SchemaTree {
  return new Map(
    kinds.map(({ kind, help, fields }) => {
      const root = { field: undefined, help, children: new Map<string, SchemaNode>() };
      for (const field of fields) {
        const names = field.path.replaceAll('[]', '').split('.');
        let node: SchemaNode = root;
        for (const name of names) {
          let child = node.children.get(name);
          if (child === undefined) {
            child = { field: undefined, children: new Map() };
            node.children.set(name, child);
          }
          node = child;
        }
        Object.assign(node, { field });
      }
      return [kind, root];
    }),
  );
}

/** What the schema allows at the place. */
export function candidatesAt(tree: SchemaTree, place: YamlPlace): readonly Candidate[] {
  const { kind, path, key, siblings } = place;
  if (path.length === 0 && key === 'kind') return kindsOf(tree);
  if (path.length === 0 && key === 'apiVersion') return [{ label: 'v1alpha1', text: 'v1alpha1' }];
  let node: SchemaNode | undefined = tree.get(kind);
  for (const name of path) node = node?.children.get(name) ?? node?.children.get('*');
  if (node === undefined) return [];
  if (key !== undefined) return valuesOf((node.children.get(key) ?? node.children.get('*'))?.field);
  const own = [...node.children].flatMap(([name, { field }]) =>
    name === '*' || siblings.has(name) ? [] : [keyOf(name, field)],
  );
  const heads = path.length === 0 ? ['apiVersion', 'kind'].filter((name) => !siblings.has(name)) : [];
  // The first document has no kind, and needs none.
  return [...own, ...(siblings.has('version') ? [] : heads.map((name) => keyOf(name, undefined)))];
}

function kindsOf(tree: SchemaTree): Candidate[] {
  return [...tree].flatMap(([kind, { help }]) => (kind === '' ? [] : [{ label: kind, text: kind, help }]));
}

const withChildren: readonly string[] = [
  'obj',
  'list',
  'map',
  'free',
  'frees',
  'args',
  'strs',
  'enums',
  'ips',
];
const opensBlock = (type: string) => withChildren.includes(type) || type.startsWith('map:');

function keyOf(name: string, field: SchemaField | undefined): Candidate {
  if (field === undefined) return { label: name, text: `${name}: ` };
  const { type, help, isRequired, default: preset, notApplied } = field;
  return {
    label: name,
    text: opensBlock(type) ? `${name}:` : `${name}: `,
    detail: isRequired ? `${type}, required` : type,
    help: [help, preset === undefined ? '' : `Default: ${preset}.`, notApplied ?? '']
      .filter(Boolean)
      .join(' '),
  };
}

function valuesOf(field: SchemaField | undefined): Candidate[] {
  if (field === undefined) return [];
  const values = field.type === 'bool' ? ['true', 'false'] : field.values;
  return values.map((value) => ({
    label: value,
    text: value,
    ...(value === field.default && { detail: 'default' }),
  }));
}
