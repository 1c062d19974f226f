import { type Call, type Expression, qualifiedName } from '../syntax-tree.ts';
import type { Overload } from '../types/parse-type.ts';
import { isDynamic, plainType, type Type } from '../types/type.ts';
import type { CheckContext } from './check-context.ts';
import { rootOf } from './check-name.ts';
import { explainNumbers } from './explain-numbers.ts';
import { findInScope, type Scope } from './scope.ts';

/**
 * Returns the type of a call: of a function by its simple or qualified name, or of a method of its target.
 */
export function typeOfCall(context: CheckContext, call: Call, scope: Scope | undefined): Type {
  const { functions } = context.environment;
  const name = call.target === undefined ? call.name : qualifiedFunction(context, call, scope);
  const overloads = name === undefined ? undefined : functions.get(name);
  if (name !== undefined && overloads !== undefined) {
    const operands = call.arguments.map((each) => context.typeOf(each, scope));
    return resolveCall(context, { name, overloads, isMethod: false, operands, at: call.at });
  }
  return call.target === undefined
    ? undeclared(context, call)
    : typeOfMethod(context, call, call.target, scope);
}

function typeOfMethod(context: CheckContext, call: Call, target: Expression, scope: Scope | undefined): Type {
  const { name, at } = call;
  const targetType = context.typeOf(target, scope);
  const overloads = context.environment.functions.get(name);
  // A problem of the target is already reported: `nosuch.method()` must report one problem, not two.
  if (overloads === undefined) return targetType.name === 'error' ? targetType : undeclared(context, call);
  const operands = [targetType, ...call.arguments.map((each) => context.typeOf(each, scope))];
  return resolveCall(context, { name, overloads, isMethod: true, operands, at });
}

/**
 * Returns the qualified name of a call such as `optional.of(x)`, or `undefined` when a macro variable
 * `optional` hides it.
 */
function qualifiedFunction(context: CheckContext, { target, name }: Call, scope: Scope | undefined) {
  if (target === undefined) return undefined;
  const root = rootOf(context, target);
  if (root.kind !== 'name' || (!root.isRooted && findInScope(scope, root.name) !== undefined))
    return undefined;
  const prefix = qualifiedName(target);
  return prefix === undefined ? undefined : `${prefix}.${name}`;
}

function undeclared(context: CheckContext, { name, at }: Call): Type {
  return context.report(at, `undeclared reference to ${JSON.stringify(name)}`);
}

/** A call with the types of its operands. The first operand of a method is its target. */
interface ResolvedCall {
  readonly name: string;
  readonly overloads: readonly Overload[];
  readonly isMethod: boolean;
  readonly operands: readonly Type[];
  readonly at: number;
}

/**
 * Returns the result type of the overloads that accept these operands, or `dyn` when their results differ.
 */
export function resolveCall(context: CheckContext, call: ResolvedCall): Type {
  let result: Type | undefined;
  for (const overload of call.overloads) {
    const match = matchOverload(context, call, overload);
    if (match === undefined || (result !== undefined && isDynamic(result))) continue;
    const differs = result !== undefined && !context.substitution.isSame(result, match);
    result = differs ? plainType('dyn') : match;
  }
  return result === undefined ? reportMismatch(context, call) : context.substitution.resolve(result);
}

function matchOverload(context: CheckContext, call: ResolvedCall, overload: Overload): Type | undefined {
  const { substitution } = context;
  if (call.isMethod !== overload.isMethod || call.operands.length !== overload.operands.length)
    return undefined;
  const fresh = new Map(overload.variables.map((name) => [name, substitution.fresh()]));
  const wanted = overload.operands.map((type) => instantiate(type, fresh));
  return substitution.areAssignable(call.operands, wanted) ? instantiate(overload.result, fresh) : undefined;
}

/** Replaces the type variables by fresh ones, so that two calls do not share them. */
function instantiate(type: Type, variables: ReadonlyMap<string, Type>): Type {
  if (variables.size === 0) return type;
  if (type.kind === 'variable') return variables.get(type.name) ?? type;
  if (type.parameters.length === 0) return type;
  return { ...type, parameters: type.parameters.map((each) => instantiate(each, variables)) };
}

function reportMismatch(context: CheckContext, { name, isMethod, operands, at }: ResolvedCall): Type {
  const types = operands.map((each) => context.format(each));
  const target = isMethod ? `${types.shift()}.` : '';
  const hint = explainNumbers(operands.map((each) => context.substitution.head(each).name));
  return context.report(
    at,
    `found no matching overload for '${name}' applied to '${target}(${types.join(', ')})'${hint}`,
  );
}
