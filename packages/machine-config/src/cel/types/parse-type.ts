import {
  messageType,
  type PlainTypeName,
  parameterCounts,
  plainType,
  plainTypeNames,
  type Type,
  typeVariable,
} from './type.ts';

/** A declared function `(list(A), int) -> A`, or a declared method `string.(string) -> bool`. */
export interface Overload {
  readonly isMethod: boolean;
  /** Types of the operands. The first operand of a method is its target. */
  readonly operands: readonly Type[];
  readonly result: Type;
  /** Names of the type variables in the declaration. */
  readonly variables: readonly string[];
}

/**
 * Parses a type in CEL notation. A single capital letter is a type variable, a name with dots is a message.
 *
 * @throws RangeError if the text is not a type: only our own declarations are parsed
 */
export function parseType(text: string): Type {
  const [type, rest] = readType(text);
  if (rest !== '') throw new RangeError(`unexpected ${JSON.stringify(rest)} in type ${text}`);
  return type;
}

/**
 * Parses the declaration of a function or method.
 *
 * @throws RangeError if the text is malformed
 */
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
