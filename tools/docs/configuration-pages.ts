import { documentKinds, type FieldPath, fieldPaths, legacyKind, nodeKinds } from '@nodewright/machine-config';
import { inertTable } from '@nodewright/machine-config/inert';
import { encodeYaml, type FieldReference, fieldReference } from '@nodewright/machine-config/reference';
import { exampleDocuments } from './example-documents.ts';
import { code, codeBlock, markdownTable, type Page, prose } from './page.ts';

/** What a type of the schema accepts. Source: Talos v1.14: machine configuration, scalar forms. */
const typeTexts: Readonly<Record<FieldPath['field']['type'], string>> = {
  str: 'text',
  bool: 'true or false',
  int: 'integer',
  uint8: 'integer, 0 to 255',
  uint16: 'integer, 0 to 65535',
  uint32: 'integer, 0 to 2³²−1',
  uint64: 'integer, 0 to 2⁶⁴−1',
  dur: 'duration, such as `1h30m`',
  mode: 'file mode, octal',
  mac: 'hardware address',
  size: 'size in bytes, or with a unit: `10GiB`',
  manifest: 'text',
  url: 'URL',
  ip: 'IP address',
  prefix: 'address/length',
  bytes: 'size in bytes, or with a unit: `10GiB`',
  limit: 'size, a percentage, or either with `-` in front',
  enum: '',
  enums: '',
  table: 'routing table: 1 to 252, default, main or local',
  strs: 'list of texts',
  ips: 'list of IP addresses',
  prefixes: 'list of address/length',
  ints: 'list of integers',
  ports: 'list of ports, or ranges: `"1000-2000"`',
  obj: 'object',
  list: 'list of objects',
  map: 'objects by name',
  'map:str': 'texts by name',
  'map:bool': 'true or false, by name',
  args: 'a text or a list of texts, by name',
  free: 'any object',
  frees: 'list of any objects',
};

/** The reference of the machine configuration: the list of kinds of documents, what nodes do not act on, and a page for each kind. */
export async function configurationPages(): Promise<Page[]> {
  const examples = await exampleDocuments();
  return [listOfKinds(), inertPage(), ...examples.map(({ kind, text }) => kindPage(kind, text))];
}

const titleOf = (kind: string) => (kind === legacyKind ? 'machine and cluster (v1alpha1)' : kind);

/** Where a kind of document is documented. */
export function documentAddress(kind: string): string {
  return `config-${kind.toLowerCase()}.html`;
}

function listOfKinds(): Page {
  const rows = documentKinds.map((kind) => [
    `[${code(titleOf(kind))}](${documentAddress(kind)})`,
    [helpOf(fieldReference(kind).get('')), notAppliedOf(fieldReference(kind).get(''))].join(' '),
  ]);
  const markdown = `# Machine configuration

A configuration is a YAML file of one or more documents, separated by \`---\`. Every document but the first in this list has
\`apiVersion: v1alpha1\` and \`kind\`. \`talosctl gen config\` writes complete ones, \`talosctl validate\` checks a file,
\`talosctl apply-config\` and \`talosctl edit machineconfig\` send one to a node. A key that is not listed here is an error.

${markdownTable(['Kind of document', 'Purpose'], rows)}`;
  return {
    id: 'configuration',
    madeBy: 'tools/docs/configuration-pages.ts',
    title: 'All documents',
    group: 'Configuration',
    markdown,
  };
}

const nodeTitles = {
  process: 'Processes',
  stack: 'Compose stack',
  container: 'One container',
  machine: 'Machine',
};

/** The cells of the page that says which kinds of nodes act on what, as texts: document, field, and each kind of node. */
export function inertCells(): string[][] {
  return Object.entries(inertTable).flatMap(([kind, rows]) =>
    rows.map(({ path, on, actsOnlyIn, exceptFor }) => {
      const acts = actsOnlyIn === undefined ? 'yes' : `only in ${actsOnlyIn}`;
      const inert = exceptFor === undefined ? 'no' : `only ${exceptFor}`;
      return [titleOf(kind), path, ...nodeKinds.map((node) => (on.includes(node) ? inert : acts))];
    }),
  );
}

function inertPage(): Page {
  const rows = inertCells().map(([title = '', path = '', ...cells]) => [
    code(title),
    path === '' ? 'all of it' : code(path),
    ...cells,
  ]);
  const markdown = `# What nodes do not act on

Nodes validate and store all of these settings, and some kinds of nodes act on none of what they say. A row holds for all
fields inside, too. What has no row is acted on everywhere, except fields whose description begins with "Ignored", such as
\`machine.features.rbac\`: every node does the same whatever they say. \`talosctl apply-config\`, \`patch\` and \`edit\`
show the rows that a configuration has for the node as warnings, also in a dry run. \`talosctl validate\` and
\`machineconfig patch\` print those of machines, or of containers with \`--mode container\`, after their result.

Machines refuse what promises protection, in a configuration that a call sends: encryption of volumes, a firewall that blocks,
its rules, and rules that deny images or demand their signatures. Other nodes warn about it. A machine that has stored such a configuration boots,
and \`talosctl get diagnostics\` says so. SecurityProfileConfig, which \`talosctl gen config\` writes, is warned about.

${markdownTable(['Document', 'Field', ...nodeKinds.map((node) => nodeTitles[node])], rows)}`;
  return {
    id: 'configuration-not-applied',
    madeBy: 'packages/machine-config/src/inert/inert-table.ts',
    title: 'What nodes do not act on',
    group: 'Configuration',
    markdown,
  };
}

/** @param example a whole document */
function kindPage(kind: string, example: string): Page {
  const docs = fieldReference(kind);
  const about = docs.get('');
  const paths = fieldPaths(kind);
  const isNamed = paths.some(({ path }) => path === 'name');
  const count =
    kind === legacyKind || !isNamed
      ? 'A configuration has at most one such document.'
      : 'A configuration may have several such documents, with different names.';
  const sections = sectionsOf(paths).map(
    ([heading, fields]) => `${heading === '' ? '' : `## ${heading}\n\n`}${fieldTable(fields, docs)}`,
  );
  return {
    id: documentAddress(kind).replace(/\.html$/, ''),
    title: titleOf(kind),
    group: 'Configuration',
    markdown: [
      `# ${titleOf(kind)}`,
      '',
      [helpOf(about), notAppliedOf(about)].join(' '),
      '',
      count,
      '',
      '## Example',
      '',
      codeBlock('yaml', example),
      ...(example.includes('MIIB') || kind === legacyKind
        ? ['Certificates and keys are shortened here.', '']
        : []),
      ...(kind === legacyKind ? [] : ['## Fields', '']),
      ...sections,
    ].join('\n'),
  };
}

/** A document with more fields than this has a section for each of its parts. */
const longDocument = 60;

/** The fields of a long document by the part that they belong to, such as `machine.kubelet`. */
function sectionsOf(paths: readonly FieldPath[]): [string, FieldPath[]][] {
  if (paths.length < longDocument) return [['', [...paths]]];
  const partOf = ({ path, field }: FieldPath) => {
    const names = path.split('.');
    const isPart = names.length > 2 || (names.length === 2 && field.fields.size > 0);
    return names
      .slice(0, isPart ? 2 : 1)
      .join('.')
      .replace(/\[\]$/, '');
  };
  return [...Map.groupBy(paths, partOf)];
}

function fieldTable(paths: readonly FieldPath[], docs: ReadonlyMap<string, FieldReference>): string {
  const rows = paths.map(({ path, field }) => {
    const doc = docs.get(path);
    const choices = field.values.map(code).join(', ');
    const lists = { enum: choices, enums: `list of ${choices}` };
    const type = field.type === 'enum' || field.type === 'enums' ? lists[field.type] : typeTexts[field.type];
    const value = doc?.isRequired === true ? `${type}; required` : type;
    const meaning = [helpOf(doc), defaultOf(doc), notAppliedOf(doc)].filter((text) => text !== '');
    return [code(path), value, meaning.join(' '), exampleText(doc)];
  });
  return markdownTable(['Field', 'Value', 'Meaning', 'Example'], rows);
}

const helpOf = (doc: FieldReference | undefined) => prose(doc?.help ?? '');
const defaultOf = (doc: FieldReference | undefined) =>
  doc?.default === undefined ? '' : `Default: ${code(doc.default)}.`;
/** What this node does not do with the field yet. */
const notAppliedOf = (doc: FieldReference | undefined) =>
  doc?.notApplied === undefined ? '' : `*${prose(doc.notApplied.text)}*`;

function exampleText(doc: FieldReference | undefined): string {
  if (doc?.example === undefined) return '';
  return encodeYaml({ value: doc.example })
    .replace(/^value:\s*/, '')
    .trimEnd()
    .split('\n')
    .map((line) => code(line.trim()))
    .join(' ');
}

/** The anchor-like text of a field in its page, for the test that compares the pages with the schema. */
export function fieldMark(path: string): string {
  return `<code>${path}</code>`;
}
