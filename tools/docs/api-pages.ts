import { isOneToManyMethod, methodTable } from '@nodewright/contract';
import { commandAddress } from './command-pages.ts';
import {
  commentsOf,
  type EnumDescriptor,
  type FieldDescriptor,
  type FileDescriptor,
  type MessageDescriptor,
} from './contract-descriptors.ts';
import { anchorOf, code, markdownTable, type Page, prose } from './page.ts';

/** The numbers of fields in google.protobuf.FileDescriptorProto and DescriptorProto, as parts of paths of comments. */
const inFile = { message: 4, enumeration: 5, service: 6 } as const;
const inMessage = { field: 2, message: 3, enumeration: 4 } as const;
const inService = { method: 2 } as const;

/** A message or an enumeration of the contracts, with its comments. */
interface DescribedType {
  /** With a dot in front, as in fields: `.machine.ServiceInfo`. */
  readonly fullName: string;
  readonly comment: string;
  readonly message?: MessageDescriptor;
  readonly enumeration?: EnumDescriptor;
  /** The comment of each field or value, in order. */
  readonly parts: readonly string[];
}

/** Contracts that clients of a node call; the other packages of `proto/` are of programs that nodes call. */
const isPublicService = (service: string) =>
  Object.keys(methodTable).some((path) => path.startsWith(`/${service}/`));

/** The reference of the API: a page for each service, with its methods and their messages. */
export function apiPages(files: readonly FileDescriptor[], commands: ReadonlySet<string>): Page[] {
  const types = new Map(files.flatMap(typesOf).map((type) => [type.fullName, type]));
  return files.flatMap((file) =>
    (file.service ?? []).flatMap(({ name, method }, index): Page[] => {
      const service = `${file.package}.${name}`;
      if (!isPublicService(service) && service !== 'securityapi.SecurityService') return [];
      const comment = commentsOf(file);
      const sections = method.map((each, at) => {
        const path = `/${service}/${each.name}`;
        return [
          `## ${each.name}`,
          '',
          comment([inFile.service, index, inService.method, at]),
          '',
          markdownTable(['', ''], methodFacts(path, each, commands)),
        ].join('\n');
      });
      const used = typesUsedBy(
        method.flatMap(({ inputType, outputType }) => [inputType, outputType]),
        types,
      );
      return [
        {
          id: apiPageId(service),
          title: service,
          group: 'API',
          markdown: [
            `# ${service}`,
            '',
            comment([inFile.service, index]),
            '',
            ...sections,
            '## Messages',
            '',
            ...used.map(typeSection),
          ].join('\n'),
        },
      ];
    }),
  );
}

const apiPageId = (service: string) => `api-${service.toLowerCase()}`;

/** Where a method (`/machine.MachineService/Reboot`) is documented. */
export function methodAddress(path: string): string {
  const [, service = '', name = ''] = path.split('/');
  return `${apiPageId(service)}.html#${anchorOf(name)}`;
}

function methodFacts(
  path: string,
  method: { inputType: string; outputType: string; clientStreaming?: boolean; serverStreaming?: boolean },
  commands: ReadonlySet<string>,
): string[][] {
  const rule = methodTable[path];
  const stream = (isStream: boolean | undefined) => (isStream ? 'a stream of ' : '');
  const facts = [
    ['Full name', code(path)],
    ['Request', `${stream(method.clientStreaming)}${typeLink(method.inputType)}`],
    ['Response', `${stream(method.serverStreaming)}${typeLink(method.outputType)}`],
  ];
  if (rule === undefined)
    return [...facts, ['Roles', 'any; the server is trustd, and the join token authenticates']];
  const command = rule.command;
  return [
    ...facts,
    ['Roles', rule.roles.map(code).join(', ')],
    ['Several nodes in one call', isOneToManyMethod(path) ? 'yes, metadata `nodes`' : 'no'],
    ['Implemented', prose(rule.notImplemented ?? 'yes')],
    ...(rule.controlPlaneOnly === undefined ? [] : [['Where', 'control planes only']]),
    ...(rule.maintenance
      ? [['Maintenance', 'callers without `os:admin` are served only while the node has no configuration']]
      : []),
    ...(command === undefined ? [] : [['Command', commandText(command, commands)]]),
  ];
}

/** The command with a link to its longest prefix that exists. */
function commandText(command: string, commands: ReadonlySet<string>): string {
  const words = command.split(' ');
  const known = words
    .map((_, at) => words.slice(0, words.length - at).join(' '))
    .find((path) => commands.has(path));
  return known === undefined ? code(command) : `[${code(command)}](${commandAddress(known)})`;
}

function typesOf(file: FileDescriptor): DescribedType[] {
  const comment = commentsOf(file);
  const found: DescribedType[] = [];
  const addEnumeration = (enumeration: EnumDescriptor, scope: string, path: readonly number[]) =>
    found.push({
      fullName: `${scope}.${enumeration.name}`,
      comment: comment(path),
      enumeration,
      parts: enumeration.value.map((_, at) => comment([...path, 2, at])),
    });
  const addMessage = (message: MessageDescriptor, scope: string, path: readonly number[]) => {
    const fullName = `${scope}.${message.name}`;
    const parts = (message.field ?? []).map((_, at) => comment([...path, inMessage.field, at]));
    found.push({ fullName, comment: comment(path), message, parts });
    for (const [at, inner] of (message.nestedType ?? []).entries())
      addMessage(inner, fullName, [...path, inMessage.message, at]);
    for (const [at, inner] of (message.enumType ?? []).entries())
      addEnumeration(inner, fullName, [...path, inMessage.enumeration, at]);
  };
  const scope = `.${file.package}`;
  for (const [at, message] of (file.messageType ?? []).entries())
    addMessage(message, scope, [inFile.message, at]);
  for (const [at, each] of (file.enumType ?? []).entries())
    addEnumeration(each, scope, [inFile.enumeration, at]);
  return found;
}

/** The types that can be reached from `names`, by name. Entries of maps are no types of their own. */
function typesUsedBy(names: readonly string[], types: ReadonlyMap<string, DescribedType>): DescribedType[] {
  const used = new Map<string, DescribedType>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const type = types.get(name);
    if (type === undefined || used.has(name) || name.startsWith('.google.')) continue;
    used.set(name, type);
    waiting.push(...(type.message?.field ?? []).flatMap(({ typeName }) => typeName ?? []));
  }
  return [...used.values()]
    .filter(({ message }) => message?.options?.mapEntry !== true)
    .sort((one, other) => (one.fullName < other.fullName ? -1 : 1));
}

function typeSection({ fullName, comment, message, enumeration, parts }: DescribedType): string {
  const name = fullName.slice(1);
  const rows =
    enumeration?.value.map((value, at) => [code(value.name), String(value.number), parts[at] ?? '']) ??
    (message?.field ?? []).map((field, at) => [
      code(field.name),
      String(field.number),
      fieldType(field, message),
      parts[at] ?? '',
    ]);
  const headings =
    enumeration === undefined ? ['Field', 'Number', 'Type', 'Meaning'] : ['Value', 'Number', 'Meaning'];
  const content = rows.length === 0 ? 'It has no fields.\n' : markdownTable(headings, rows);
  return `### ${name}\n\n${comment}\n\n${content}`;
}

function fieldType(field: FieldDescriptor, owner: MessageDescriptor | undefined): string {
  const entry = owner?.nestedType?.find(
    ({ name, options }) =>
      options?.mapEntry === true && field.typeName?.endsWith(`.${owner.name}.${name}`) === true,
  );
  if (entry !== undefined) {
    const [key, value] = entry.field ?? [];
    return `map of ${key === undefined ? '' : singleType(key)} to ${value === undefined ? '' : singleType(value)}`;
  }
  return field.label === 'LABEL_REPEATED' ? `list of ${singleType(field)}` : singleType(field);
}

function singleType({ type, typeName }: FieldDescriptor): string {
  return typeName === undefined ? code(type.replace('TYPE_', '').toLowerCase()) : typeLink(typeName);
}

function typeLink(fullName: string): string {
  const name = fullName.slice(1);
  return name.startsWith('google.') ? code(name) : `[${code(name)}](#${anchorOf(name)})`;
}
