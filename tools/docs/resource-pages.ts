import type { ResourceKind } from '@nodewright/state';
import { nodeKinds } from '@nodewright/state/kinds';
import type { ControllerGraph } from '../controller-map/controller-map.ts';
import { code, markdownTable, type Page, prose } from './page.ts';

type Fields = NonNullable<ResourceKind['codec']['fields']>;

/** The reference of resources: the list of kinds, and a page for each namespace domain with their fields. */
export function resourcePages(graph: ControllerGraph): Page[] {
  const groups = Map.groupBy(nodeKinds, groupOf);
  const pages = [...groups].map(([group, kinds]): Page => {
    const sections = kinds.map((kind) => kindSection(kind, graph));
    return {
      id: resourcePageId(group),
      title: group,
      group: 'Resources',
      markdown: `# Resources: ${group}\n\n${sections.join('\n')}`,
    };
  });
  return [listOf(graph), ...pages];
}

const nameOf = ({ type }: ResourceKind) => type.split('.')[0] ?? type;
const groupOf = ({ type }: ResourceKind) => type.split('.')[1] ?? type;
const resourcePageId = (group: string) => `resources-${group}`;

/** Where a kind is documented. */
export function kindAddress(kind: ResourceKind): string {
  return `${resourcePageId(groupOf(kind))}.html#${nameOf(kind).toLowerCase()}`;
}

function listOf(graph: ControllerGraph): Page {
  const rows = nodeKinds.map((kind) => [
    `[${code(nameOf(kind))}](${kindAddress(kind)})`,
    code(kind.namespace),
    kind.aliases.map(code).join(' '),
    writersText(kind, graph),
  ]);
  const markdown = `# Resources

What a node knows, as typed resources. \`talosctl get <name>\` shows them, \`--watch\` follows them, \`-o yaml\` prints all fields.
Any alias is a name, too.

${markdownTable(['Kind', 'Namespace', 'Aliases', 'Filled by'], rows)}`;
  return {
    id: 'resources',
    madeBy: 'tools/docs/resource-pages.ts',
    title: 'All kinds',
    group: 'Resources',
    markdown,
  };
}

function kindSection(kind: ResourceKind, graph: ControllerGraph): string {
  const { codec, printColumns } = kind;
  const singleton = 'singleton' in kind && typeof kind.singleton === 'string' ? kind.singleton : undefined;
  const facts = [
    ['Type', code(kind.type)],
    ['Default namespace', code(kind.namespace)],
    ...(singleton === undefined ? [] : [['Only id', code(singleton)]]),
    ['Names for `talosctl get`', [...new Set(kind.allAliases)].map(code).join(' ')],
    ['Filled by', writersText(kind, graph)],
    ['Read by', controllersText(controllersOf(kind, graph, ['input-weak', 'input-strong']), 'no controller')],
    ['Readers', kind.isSensitive ? '`os:admin` only: it contains secrets' : 'all roles that read'],
    ...(printColumns.length === 0
      ? []
      : [['Columns', printColumns.map(({ name, jsonPath }) => `${name} (${code(jsonPath)})`).join(', ')]]),
  ];
  const rows = codec.fields === undefined ? [] : fieldRows(codec.fields, '');
  const fields = rows.length === 0 ? '' : markdownTable(['Field', 'Type', 'Protobuf field'], rows);
  return `## ${nameOf(kind)}\n\n${markdownTable(['', ''], facts)}\n${fields}`;
}

function fieldRows(fields: Fields, base: string): string[][] {
  return Object.entries(fields).flatMap(([name, { number, type }]) => {
    const path = base === '' ? name : `${base}.${name}`;
    const { word, values, fields: inner } = type.shape;
    const words =
      values === undefined ? prose(word) : `${prose(word)}: ${Object.keys(values).map(code).join(', ')}`;
    return [
      [code(path), words, number === 0 ? 'only in YAML' : String(number)],
      ...(inner === undefined ? [] : fieldRows(inner, path)),
    ];
  });
}

function controllersOf(kind: ResourceKind, graph: ControllerGraph, edges: readonly string[]): string[] {
  const names = graph.edges
    .filter(({ type, kind: edge }) => type === kind.type && edges.includes(edge))
    .map(({ controller }) => controller);
  return [...new Set(names)].sort();
}

function writersText(kind: ResourceKind, graph: ControllerGraph): string {
  return controllersText(controllersOf(kind, graph, ['output-exclusive', 'output-shared']), 'no controller');
}

function controllersText(names: readonly string[], none: string): string {
  return names.length === 0 ? none : names.map(code).join(', ');
}
