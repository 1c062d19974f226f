import { isOneToManyMethod, type MethodRule, methodTable } from '@nodewright/contract';
import { type MethodKind, methodKinds } from '@nodewright/contract/machine-services';
import { everyCommand } from '../../cli/talosctl/src/testing/every-command.ts';
import { commandSection } from './command-section.ts';

const roleLetters: Readonly<Record<string, string>> = {
  'os:admin': 'A',
  'os:operator': 'O',
  'os:reader': 'R',
  'os:etcd:backup': 'E',
  'os:image:verifier': 'V',
  'os:meta:writer': 'M',
};

const kindWords: Readonly<Record<MethodKind, string>> = {
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
| implemented | yes, or why not: such a method answers UNIMPLEMENTED with this reason, after the check of roles |
| talosctl | the command that it is for; *in italics* where this talosctl does not have the command yet |

Marks: *control plane*: elsewhere UNIMPLEMENTED. *maintenance*: callers without \`os:admin\` only while the node has no
configuration. *deprecated*: upstream removes it in v1.18.
`;

/** docs/api.md. */
export async function apiDocument(): Promise<string> {
  const commands = new Map(
    (await everyCommand()).map(({ path, command }) => [path, command.commands.length > 0]),
  );
  const services = Map.groupBy(Object.entries(methodTable), ([path]) => path.split('/')[1] ?? '');
  const sections = [...services].map(([service, methods]) => {
    const rows = methods.map(([path, rule]) => methodRow(path, rule, commands));
    return `\n## ${service}\n\n${heading}${rows.join('')}`;
  });
  const done = Object.values(methodTable).filter(({ notImplemented }) => notImplemented === undefined).length;
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

/** Where the table and the code of machined differ: each method has a handler or a reason for having none, not both. */
export function handlerProblems(implemented: ReadonlySet<string>, table = methodTable): string[] {
  const file = 'packages/contract/src/method-table.ts';
  return Object.entries(table).flatMap(([path, { notImplemented }]) => {
    const hasReason = notImplemented !== undefined;
    if (implemented.has(path) && hasReason) {
      return [
        `${path} is implemented: take \`notImplemented\` out of its row in ${file}, then make generate`,
      ];
    }
    return implemented.has(path) || hasReason
      ? []
      : [`${path} has no handler, and its row in ${file} has no \`notImplemented\``];
  });
}

const heading = `| method | roles | streams | nodes | implemented | talosctl |
| --- | --- | --- | --- | --- | --- |
`;

/** The paths of the commands of talosctl, and whether each has subcommands. */
type Commands = ReadonlyMap<string, boolean>;

function methodRow(path: string, rule: MethodRule, commands: Commands): string {
  const marks = [
    rule.controlPlaneOnly === undefined ? '' : 'control plane',
    rule.maintenance ? 'maintenance' : '',
    rule.deprecated ? 'deprecated' : '',
  ].filter((mark) => mark !== '');
  const name = path.slice(path.lastIndexOf('/') + 1);
  const cells = [
    marks.length === 0 ? name : `${name} (*${marks.join(', ')}*)`,
    rule.roles.map((role) => roleLetters[role]).join(' '),
    kindWords[methodKinds[path] ?? 'unary'],
    isOneToManyMethod(path) ? 'yes' : 'no',
    rule.notImplemented ?? 'yes',
    commandCell(rule.command, commands),
  ];
  return `| ${cells.join(' | ')} |\n`.replaceAll(/ {2,}/g, ' ');
}

function commandCell(command: string | undefined, commands: Commands): string {
  if (command === undefined) return '';
  return isBuilt(command, commands) ? `\`${command}\`` : `*${command}*`;
}

/** Words after a command without subcommands are its arguments, as in `service start`. */
export function isBuilt(command: string, commands: Commands): boolean {
  const words = command.split(' ').filter((word) => !word.startsWith('-'));
  const paths = words.map((_, index) => words.slice(0, index + 1).join(' '));
  const known = paths.filter((path) => commands.has(path));
  const longest = known.at(-1);
  return longest !== undefined && (known.length === paths.length || commands.get(longest) === false);
}
