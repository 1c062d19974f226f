// Writes the descriptors of `buf build` in the format of the fact tables.
import { runBuf } from './run-tool.ts';

interface FieldJson {
  name: string;
  number: number;
  label: 'LABEL_OPTIONAL' | 'LABEL_REPEATED' | 'LABEL_REQUIRED';
  type: string;
  typeName?: string;
  oneofIndex?: number;
  proto3Optional?: boolean;
  options?: { deprecated?: boolean };
}

interface EnumJson {
  name: string;
  value: { name: string; number: number; options?: { deprecated?: boolean } }[];
  reservedRange?: RangeJson[];
  reservedName?: string[];
}

interface MessageJson {
  name: string;
  field?: FieldJson[];
  nestedType?: MessageJson[];
  enumType?: EnumJson[];
  oneofDecl?: { name: string }[];
  options?: { mapEntry?: boolean };
  reservedRange?: RangeJson[];
  reservedName?: string[];
}

interface RangeJson {
  start: number;
  end: number;
}

interface MethodJson {
  name: string;
  inputType: string;
  outputType: string;
  clientStreaming?: boolean;
  serverStreaming?: boolean;
  options?: { deprecated?: boolean };
}

interface FileJson {
  package: string;
  messageType?: MessageJson[];
  enumType?: EnumJson[];
  service?: { name: string; method: MethodJson[] }[];
}

const deprecatedMark = (element: { options?: { deprecated?: boolean } }) =>
  element.options?.deprecated ? ' deprecated' : '';

/** `.machine.Reboot` -> `machine.Reboot` */
const withoutDot = (typeName: string) => typeName.slice(1);

function plainType(field: FieldJson): string {
  return field.typeName === undefined
    ? field.type.slice('TYPE_'.length).toLowerCase()
    : withoutDot(field.typeName);
}

function fieldFact(field: FieldJson, message: MessageJson): string {
  const entry = message.nestedType?.find(
    (nested) => nested.options?.mapEntry && field.typeName?.endsWith(`.${message.name}.${nested.name}`),
  );
  const [key, value] = entry?.field ?? [];
  let type = plainType(field);
  if (key !== undefined && value !== undefined) type = `map<${plainType(key)}, ${plainType(value)}>`;
  else if (field.label === 'LABEL_REPEATED') type = `repeated ${type}`;
  else if (field.label === 'LABEL_REQUIRED') type = `required ${type}`;
  else if (field.proto3Optional) type = `optional ${type}`;
  else if (field.oneofIndex !== undefined) type += ` oneof ${message.oneofDecl?.[field.oneofIndex]?.name}`;
  return `${field.number} ${field.name} ${type}${deprecatedMark(field)}`;
}

/** `lastIncluded` is the distance between a range's end and its last number: 1 in messages, 0 in enums. */
function reservedFacts(
  { reservedRange = [], reservedName = [] }: MessageJson | EnumJson,
  lastIncluded: 0 | 1,
) {
  const ranges = reservedRange.map(({ start, end }) => {
    const last = end - lastIncluded;
    return `reserved ${last === start ? start : `${start} to ${last}`}`;
  });
  return [...ranges, ...reservedName.map((name) => `reserved ${name}`)];
}

function* messageFacts(message: MessageJson, scope: string): Generator<string> {
  if (message.options?.mapEntry) return;
  const heading = `message ${scope}.${message.name}`;
  yield heading;
  for (const field of message.field ?? []) yield `${heading}: ${fieldFact(field, message)}`;
  for (const fact of reservedFacts(message, 1)) yield `${heading}: ${fact}`;
  for (const nested of message.nestedType ?? []) yield* messageFacts(nested, `${scope}.${message.name}`);
  for (const nested of message.enumType ?? []) yield* enumFacts(nested, `${scope}.${message.name}`);
}

function* enumFacts(declared: EnumJson, scope: string): Generator<string> {
  const heading = `enum ${scope}.${declared.name}`;
  yield heading;
  for (const value of declared.value)
    yield `${heading}: ${value.number} ${value.name}${deprecatedMark(value)}`;
  for (const fact of reservedFacts(declared, 0)) yield `${heading}: ${fact}`;
}

function methodFact(method: MethodJson): string {
  const request = `${method.clientStreaming ? 'stream ' : ''}${withoutDot(method.inputType)}`;
  const response = `${method.serverStreaming ? 'stream ' : ''}${withoutDot(method.outputType)}`;
  return `${method.name} (${request}) returns (${response})${deprecatedMark(method)}`;
}

function* fileFacts(file: FileJson): Generator<string> {
  for (const service of file.service ?? []) {
    const heading = `service ${file.package}.${service.name}`;
    yield heading;
    for (const method of service.method) yield `${heading}: ${methodFact(method)}`;
  }
  for (const message of file.messageType ?? []) yield* messageFacts(message, file.package);
  for (const declared of file.enumType ?? []) yield* enumFacts(declared, file.package);
}

/** Every fact of the packages that `includes` selects, as `<heading>` and `<heading>: <line>`. */
export async function factsFromImage(includes: (packageName: string) => boolean): Promise<string[]> {
  const { code, output } = await runBuf(['build', '--exclude-source-info', '--output', '-#format=json']);
  if (code !== 0) throw new Error(output);
  const { file } = JSON.parse(output) as { file: FileJson[] };
  return file.filter(({ package: name }) => includes(name)).flatMap((one) => [...fileFacts(one)]);
}
