import { type MethodRule, methodTable } from '@nodewright/contract';
import { commandTable } from '../../cli/talosctl/src/command-table.ts';
import { commandSection } from './command-section.ts';
import { commandOfMethod } from './method-commands.ts';

const roleLetters: Readonly<Record<string, string>> = {
  'os:admin': 'A',
  'os:operator': 'O',
  'os:reader': 'R',
  'os:etcd:backup': 'E',
  'os:image:verifier': 'V',
  'os:meta:writer': 'M',
};

const kindWords: Readonly<Record<MethodRule['kind'], string>> = {
  unary: '',
  'server-stream': 'answers',
  'client-stream': 'requests',
  bidi: 'both',
};

const introduction = `# The API of a node

<!-- Made by tools/generate.ts (\`make generate\`) from the contract, the code of machined and tools/api-document/. Do not edit. -->

Every method that a node's address serves, through apid, and trustd's one. What a client may rely on is checked by
\`make conformance\` (tests/conformance).

| Column | Meaning |
| --- | --- |
| roles | any one of them lets a caller in: **A** \`os:admin\`, **O** \`os:operator\`, **R** \`os:reader\`, **E** \`os:etcd:backup\`, **V** \`os:image:verifier\`, **M** \`os:meta:writer\` |
| streams | what comes as a stream: the answers, the requests, or both |
| nodes | whether metadata \`nodes\` spreads the call over several nodes; \`node\` works for all |
| implemented | yes, or why not: such a method answers UNIMPLEMENTED, after the check of roles |
| talosctl | the command that it is for; *in italics* where this talosctl does not have the command yet |

Marks: *control plane*: elsewhere UNIMPLEMENTED. *maintenance*: callers without \`os:admin\` only while the node has no
configuration. *deprecated*: upstream removes it in v1.18.
`;

export interface ApiFacts {
  /** Full names of the methods that have a handler. */
  readonly implemented: ReadonlySet<string>;
  /** Why the others have none. */
  readonly reasons: Readonly<Record<string, string>>;
}

/** docs/api.md. The reasons must be without problems. */
export function apiDocument({ implemented, reasons }: ApiFacts): string {
  const services = Map.groupBy(Object.entries(methodTable), ([path]) => path.split('/')[1] ?? '');
  const sections = [...services].map(([service, methods]) => {
    const rows = methods.map(([path, rule]) =>
      methodRow(path, rule, implemented.has(path), reasons[path] ?? ''),
    );
    return `\n## ${service}\n\n${heading}${rows.join('')}`;
  });
  const done = Object.keys(methodTable).filter((path) => implemented.has(path)).length;
  return [
    introduction,
    `\n${done} of ${Object.keys(methodTable).length} methods of machined are implemented.\n`,
    ...sections,
    '\n## securityapi.SecurityService\n\nServed by trustd, port 50001, to holders of the join token.\n\n',
    heading,
    '| Certificate | join token | | no | yes | |\n',
    commandSection(),
  ].join('');
}

/** What is wrong with the hand-kept reasons: each method has a handler or a reason, and not both. */
export function reasonProblems({ implemented, reasons }: ApiFacts): string[] {
  const file = 'tools/api-document/unbuilt-methods.ts';
  const lacking = Object.keys(methodTable)
    .filter((path) => !implemented.has(path) && reasons[path] === undefined)
    .map((path) => `${path} has no handler, and ${file} does not say why`);
  const excused = Object.keys(reasons)
    .filter((path) => implemented.has(path))
    .map((path) => `${path} is implemented: take it out of ${file}, then make generate`);
  const unknown = Object.keys(reasons)
    .filter((path) => methodTable[path] === undefined)
    .map((path) => `${file} has a reason for ${path}, which does not exist`);
  return [...lacking, ...excused, ...unknown];
}

const heading = `| method | roles | streams | nodes | implemented | talosctl |
| --- | --- | --- | --- | --- | --- |
`;

function methodRow(path: string, rule: MethodRule, isImplemented: boolean, reason: string): string {
  const marks = [
    rule.controlPlaneOnly === undefined ? '' : 'control plane',
    rule.maintenance ? 'maintenance' : '',
    rule.deprecated ? 'deprecated' : '',
  ].filter((mark) => mark !== '');
  const name = path.slice(path.lastIndexOf('/') + 1);
  const cells = [
    marks.length === 0 ? name : `${name} (*${marks.join(', ')}*)`,
    rule.roles.map((role) => roleLetters[role]).join(' '),
    kindWords[rule.kind],
    rule.nodes ? 'yes' : 'no',
    isImplemented ? 'yes' : reason,
    commandCell(commandOfMethod[path]),
  ];
  return `| ${cells.join(' | ')} |\n`.replaceAll(/ {2,}/g, ' ');
}

function commandCell(command: string | undefined): string {
  if (command === undefined) return '';
  const [verb] = command.split(' ');
  const isBuilt = commandTable.some(({ name }) => name === verb);
  return isBuilt ? `\`${command}\`` : `*${command}*`;
}
