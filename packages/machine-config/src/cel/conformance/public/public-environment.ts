import { getTestRegistry } from '@bufbuild/cel-spec/testdata/registry.js';
import type { IncrementalTest } from '@bufbuild/cel-spec/testdata/tests.js';
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { createEnvironment, type Environment } from '../../declarations/environment.ts';
import { wellKnownMessages } from '../../declarations/well-known-messages.ts';

/** The messages of the tests. */
export const registry = getTestRegistry();

const scalars: Readonly<Partial<Record<ScalarType, string>>> = {
  [ScalarType.BOOL]: 'bool',
  [ScalarType.STRING]: 'string',
  [ScalarType.BYTES]: 'bytes',
  [ScalarType.DOUBLE]: 'double',
  [ScalarType.FLOAT]: 'double',
  [ScalarType.UINT32]: 'uint',
  [ScalarType.UINT64]: 'uint',
  [ScalarType.FIXED32]: 'uint',
  [ScalarType.FIXED64]: 'uint',
};
const scalar = (type: ScalarType | undefined) => (type === undefined ? undefined : (scalars[type] ?? 'int'));

const message = (typeName: string) => wellKnownMessages[typeName]?.type ?? typeName;

const element = (field: {
  readonly scalar?: ScalarType | undefined;
  readonly message?: DescMessage | undefined;
}) => (field.message === undefined ? (scalar(field.scalar) ?? 'int') : message(field.message.typeName));

function fieldType(field: DescField): string {
  if (field.fieldKind === 'list') return `list(${element(field)})`;
  if (field.fieldKind === 'map') return `map(${scalar(field.mapKey)}, ${element(field)})`;
  if (field.fieldKind === 'enum' && field.enum.typeName === 'google.protobuf.NullValue') return 'null_type';
  return element(field);
}

const types = [...registry];
const messages = Object.fromEntries(
  types
    .filter((type) => type.kind === 'message')
    .filter(({ typeName }) => wellKnownMessages[typeName] === undefined)
    .map(({ typeName, fields }) => [
      typeName,
      Object.fromEntries(fields.map((field) => [field.name, fieldType(field)])),
    ]),
);
const constants = types
  .filter((type) => type.kind === 'enum')
  .flatMap(({ typeName, values }) => values.map(({ name }) => `${typeName}.${name}`));
const shared = createEnvironment({ variables: {}, messages, constants, hasOptionals: true });

type DeclaredType = NonNullable<
  Extract<
    IncrementalTest['original']['typeEnv'][number]['declKind'],
    { readonly case: 'ident' }
  >['value']['type']
>;

const primitives = ['dyn', 'bool', 'int', 'uint', 'double', 'string', 'bytes'];

/** A type of the data in CEL notation; `dyn` for types that no field of the configuration can have. */
export function declared(type: DeclaredType | undefined): string {
  const { typeKind } = type ?? { typeKind: { case: 'dyn' as const } };
  switch (typeKind.case) {
    case 'primitive':
      return primitives[typeKind.value] ?? 'dyn';
    case 'wrapper':
      return `wrapper(${primitives[typeKind.value]})`;
    case 'wellKnown':
      return ['dyn', 'dyn', 'timestamp', 'duration'][typeKind.value] ?? 'dyn';
    case 'null':
      return 'null_type';
    case 'listType':
      return `list(${declared(typeKind.value.elemType)})`;
    case 'mapType':
      return `map(${declared(typeKind.value.keyType)}, ${declared(typeKind.value.valueType)})`;
    case 'messageType':
      return message(typeKind.value);
    case 'typeParam':
      return typeKind.value;
    case 'abstractType':
      return typeKind.value.name === 'optional_type'
        ? `optional_type(${declared(typeKind.value.parameterTypes[0])})`
        : 'dyn';
    case 'type':
      return `type(${declared(typeKind.value)})`;
    default:
      return 'dyn';
  }
}

/** The environments of tests without declarations of their own, by their container. */
const ofContainers = new Map<string, Environment>();

/** The environment of a test for the checker. The names of its container are known without the container in front. */
export function environmentOfTest({ original }: IncrementalTest): Environment {
  const { typeEnv, container } = original;
  if (typeEnv.length > 0) return createTestEnvironment(typeEnv, container);
  const environment = ofContainers.get(container) ?? createTestEnvironment(typeEnv, container);
  ofContainers.set(container, environment);
  return environment;
}

function createTestEnvironment(
  typeEnv: IncrementalTest['original']['typeEnv'],
  container: string,
): Environment {
  const variables: Record<string, string> = {};
  const functions: Record<string, string[]> = {};
  for (const { name, declKind } of typeEnv) {
    if (declKind.case === 'ident') variables[name] = declared(declKind.value.type);
    if (declKind.case !== 'function') continue;
    functions[name] = declKind.value.overloads.map(({ params, resultType, isInstanceFunction }) => {
      const [target, ...rest] = params.map(declared);
      const operands = isInstanceFunction ? rest : params.map(declared);
      return `${isInstanceFunction ? `${target}.` : ''}(${operands.join(', ')}) -> ${declared(resultType)}`;
    });
  }
  const own = createEnvironment({ variables, functions });
  const inside = container
    .split('.')
    .map((_, depth, parts) => `${parts.slice(0, depth + 1).join('.')}.`)
    .filter((prefix) => prefix !== '.');
  return {
    ...shared,
    values: withShortNames(
      new Map([...shared.values, ...[...own.values].filter(([name]) => name in variables)]),
      inside,
    ),
    messages: withShortNames(shared.messages, inside),
    functions: new Map([...shared.functions, ...[...own.functions].filter(([name]) => name in functions)]),
  };
}

function withShortNames<T>(all: ReadonlyMap<string, T>, prefixes: readonly string[]): ReadonlyMap<string, T> {
  const short = prefixes.flatMap((prefix) =>
    [...all]
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, value]) => [name.slice(prefix.length), value] as const),
  );
  return new Map([...all, ...short]);
}
