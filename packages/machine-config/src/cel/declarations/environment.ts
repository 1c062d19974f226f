import { type Overload, parseOverload, parseType } from '../types/parse-type.ts';
import {
  messageType,
  parameterCounts,
  plainType,
  plainTypeNames,
  type Type,
  typeType,
} from '../types/type.ts';
import type { MessageDeclarations } from './messages.ts';
import { type FunctionDeclarations, optionalFunctions, standardFunctions } from './standard-functions.ts';
import { wellKnownMessages } from './well-known-messages.ts';

/** The names that a configuration field declares for its expressions. Types are in CEL notation. */
export interface EnvironmentInit {
  readonly variables: Readonly<Record<string, string>>;
  readonly functions?: FunctionDeclarations;
  readonly messages?: MessageDeclarations;
  /** Full names of enumeration constants. */
  readonly constants?: readonly string[];
  /** Whether expressions may use optional values and their functions. */
  readonly hasOptionals?: boolean;
}

/** A message that a literal can create: its type, and its fields. */
export interface MessageShape {
  readonly type: Type;
  readonly fields: ReadonlyMap<string, Type>;
}

/** All names that an expression may use. */
export interface Environment {
  /** Values by simple or full name. The name of a type is also a value, of type `type`. */
  readonly values: ReadonlyMap<string, Type>;
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  readonly messages: ReadonlyMap<string, MessageShape>;
  readonly hasOptionals: boolean;
}

/**
 * Builds an environment from its declarations.
 *
 * @throws RangeError if a declaration is malformed
 */
export function createEnvironment(init: EnvironmentInit): Environment {
  const hasOptionals = init.hasOptionals ?? false;
  const messages = new Map([
    ...Object.entries(wellKnownMessages).map(
      ([name, { type, fields }]) => [name, { type: parseType(type), fields: parseTypes(fields) }] as const,
    ),
    ...Object.entries(init.messages ?? {}).map(
      ([name, fields]) => [name, { type: messageType(name), fields: parseTypes(fields) }] as const,
    ),
  ]);
  return {
    values: new Map([
      ...typeNames(hasOptionals),
      ...[...messages].map(([name, { type }]) => [name, typeType(type)] as const),
      ...(init.constants ?? []).map((name) => [name, plainType('int')] as const),
      ...parseTypes(init.variables),
    ]),
    functions: mergeFunctions([
      standardFunctions,
      hasOptionals ? optionalFunctions : {},
      init.functions ?? {},
    ]),
    messages,
    hasOptionals,
  };
}

/** The names of types as values: `int`, `list` and so on. */
function typeNames(hasOptionals: boolean): [string, Type][] {
  const withoutName = ['timestamp', 'duration', 'dyn', 'error', 'wrapper'];
  const plain = plainTypeNames.map((name) => [name, typeType(plainType(name))] as [string, Type]);
  const generic = Object.entries(parameterCounts).map(([name, count]): [string, Type] => {
    const parameters = Array.from({ length: count }, () => plainType('dyn'));
    return [name, typeType({ kind: 'value', name, parameters: name === 'type' ? [] : parameters })];
  });
  return [...plain, ...generic].filter(
    ([name]) => !withoutName.includes(name) && (hasOptionals || name !== 'optional_type'),
  );
}

const parseTypes = (types: Readonly<Record<string, string>>): ReadonlyMap<string, Type> =>
  new Map(Object.entries(types).map(([name, type]) => [name, parseType(type)]));

function mergeFunctions(all: readonly FunctionDeclarations[]): ReadonlyMap<string, readonly Overload[]> {
  const merged = new Map<string, readonly Overload[]>();
  for (const [name, overloads] of all.flatMap(Object.entries<readonly string[]>))
    merged.set(name, [...(merged.get(name) ?? []), ...overloads.map(parseOverload)]);
  return merged;
}
