import {
  messageType,
  type PlainTypeName,
  parameterCounts,
  plainType,
  plainTypeNames,
  type Type,
  typeVariable,
} from './type.ts';

/** A function as it is declared: `(list(A), int) -> A`, or of a value: `string.(string) -> bool`. */
export interface Overload {
  readonly isMethod: boolean;
  /** What it is applied to; of a method, its target comes first. */
  readonly operands: readonly Type[];
  readonly result: Type;
  /** Names of the type variables in it. */
  readonly variables: readonly string[];
}

/**
 * Reads a type as CEL writes it. A single capital letter is a type variable, a name with dots is a message. Throws
 * RangeError at text that is no type: declarations are ours.
 */
export function parseType(text: string): Type {
  const [type, rest] = readType(text);
  if (rest !== '') throw new RangeError(`unexpected ${JSON.stringify(rest)} in type ${text}`);
  return type;
}

/** Reads a declaration. Throws RangeError at text that is none. */
export function parseOverload(text: string): Overload {
  const [, target, parameters, result] = /^(?:(.+?)\.)?\((.*)\) -> (.+)$/.exec(text) ?? [];
  if (parameters === undefined || result === undefined)
    throw new RangeError(`${JSON.stringify(text)} declares no function`);
  return {
    isMethod: target !== undefined,
    operands: [...(target === undefined ? [] : [parseType(target)]), ...readList(parameters)],
    result: parseType(result),
    variables: [...new Set(text.match(/\b[A-Z]\b/g) ?? [])],
  };
}

function readList(text: string): Type[] {
  const types: Type[] = [];
  for (let rest = text; rest !== ''; ) {
    const [type, after] = readType(rest);
    types.push(type);
    rest = after.replace(/^, /, '');
  }
  return types;
}

function readType(text: string): [Type, string] {
  const [name] = /^[A-Za-z_][\w.]*/.exec(text) ?? [];
  if (name === undefined) throw new RangeError(`${JSON.stringify(text)} begins with no type`);
  const rest = text.slice(name.length);
  const count = Object.hasOwn(parameterCounts, name) ? parameterCounts[name] : undefined;
  if (count !== undefined) return readParameters(name, count, rest);
  if (/^[A-Z]$/.test(name)) return [typeVariable(name), rest];
  if (name.includes('.')) return [messageType(name), rest];
  if (!(plainTypeNames as readonly string[]).includes(name)) throw new RangeError(`there is no type ${name}`);
  return [plainType(name as PlainTypeName), rest];
}

function readParameters(name: string, count: number, text: string): [Type, string] {
  const parameters: Type[] = [];
  let rest = text;
  for (let index = 0; index < count; index++) {
    const separator = index === 0 ? '(' : ', ';
    if (!rest.startsWith(separator)) throw new RangeError(`${name} has ${count} parameters`);
    const [type, after] = readType(rest.slice(separator.length));
    parameters.push(type);
    rest = after;
  }
  if (!rest.startsWith(')')) throw new RangeError(`${name} has ${count} parameters`);
  return [{ kind: 'value', name, parameters }, rest.slice(1)];
}
