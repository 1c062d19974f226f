import type { Comprehension, OptionalMapping } from '../syntax-tree.ts';
import { isDynamic, listType, optionalType, parameter, plainType, type Type } from '../types/type.ts';
import { resolveCall } from './check-call.ts';
import type { CheckContext } from './check-context.ts';
import type { Scope } from './scope.ts';

/**
 * Returns the type of `range.all(x, …)` and the other macros that iterate over a list or the keys of a map.
 */
export function typeOfComprehension(
  context: CheckContext,
  { macro, range, variable, condition, body }: Comprehension,
  scope: Scope | undefined,
): Type {
  const item = itemOf(context, context.typeOf(range, scope), range.at);
  const inner = { name: variable, type: item, outer: scope };
  if (condition !== undefined)
    context.require(context.typeOf(condition, inner), plainType('bool'), condition.at);
  const result = context.typeOf(body, inner);
  if (macro === 'map') return listType(result);
  context.require(result, plainType('bool'), body.at);
  return macro === 'filter' ? listType(item) : plainType('bool');
}

function itemOf(context: CheckContext, type: Type, at: number): Type {
  const range = context.substitution.head(type);
  if (range.kind === 'variable') context.substitution.isAssignable(range, plainType('dyn'));
  if (range.kind === 'variable' || isDynamic(range)) return plainType('dyn');
  if (range.name === 'list' || range.name === 'map') return parameter(range, 0);
  return context.report(
    at,
    `expression of type '${context.format(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
  );
}

/**
 * Returns the type of `optional.optMap(x, …)`, whose body is a plain value, or of `optFlatMap`, whose body is
 * an optional.
 */
export function typeOfOptionalMapping(
  context: CheckContext,
  { macro, target, variable, body, at }: OptionalMapping,
  scope: Scope | undefined,
): Type {
  const overloads = context.environment.functions.get('value') ?? [];
  const optional = context.typeOf(target, scope);
  const type = resolveCall(context, { name: macro, overloads, isMethod: true, operands: [optional], at });
  const result = context.typeOf(body, { name: variable, type, outer: scope });
  if (macro === 'optMap') return optionalType(result);
  const value = context.substitution.fresh();
  context.require(result, optionalType(value), body.at);
  return optionalType(value);
}
