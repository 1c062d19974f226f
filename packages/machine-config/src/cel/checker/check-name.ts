import { type Expression, type Name, qualifiedName, type Selection } from '../syntax-tree.ts';
import { optionalType, parameter, plainType, type Type } from '../types/type.ts';
import type { CheckContext } from './check-context.ts';
import { findInScope, type Scope } from './scope.ts';

export function typeOfName(
  context: CheckContext,
  { name, isRooted, at }: Name,
  scope: Scope | undefined,
): Type {
  const local = isRooted ? undefined : findInScope(scope, name);
  return (
    local ??
    context.environment.values.get(name) ??
    context.report(at, `undeclared reference to ${JSON.stringify(name)}`)
  );
}

/** A dotted name may be declared as a whole; otherwise each dot selects a field. */
export function typeOfSelection(context: CheckContext, selection: Selection, scope: Scope | undefined): Type {
  const declared = selection.mode === 'value' ? declaredType(context, selection, scope) : undefined;
  if (declared !== undefined) return declared;
  const operand = context.substitution.head(context.typeOf(selection.operand, scope));
  const isOptional = operand.name === 'optional_type';
  const field = typeOfField(context, isOptional ? parameter(operand, 0) : operand, selection);
  if (selection.mode === 'presence') return plainType('bool');
  return isOptional || selection.mode === 'optional' ? optionalType(field) : field;
}

function declaredType(
  context: CheckContext,
  selection: Selection,
  scope: Scope | undefined,
): Type | undefined {
  const root = rootOf(context, selection);
  if (root?.kind !== 'name' || (!root.isRooted && findInScope(scope, root.name) !== undefined))
    return undefined;
  const name = qualifiedName(selection);
  return name === undefined ? undefined : context.environment.values.get(name);
}

/** Returns the expression at the start of a chain of selections. */
export function rootOf({ substitution }: CheckContext, expression: Expression): Expression {
  let root = expression;
  while (root.kind === 'selection') {
    substitution.budget.spend();
    root = root.operand;
  }
  return root;
}

function typeOfField(context: CheckContext, operand: Type, { field, at }: Selection): Type {
  const type = context.substitution.head(operand);
  if (type.kind === 'message') {
    const fields = context.environment.messages.get(type.name)?.fields;
    // The message is not declared, so its fields are checked only at run time.
    if (fields === undefined) return plainType('dyn');
    return fields.get(field) ?? context.report(at, undefinedField(field, fields));
  }
  if (type.kind === 'variable' || type.name === 'dyn' || type.name === 'error') return plainType('dyn');
  if (type.name === 'map') return parameter(type, 1);
  return context.report(at, `type '${context.format(type)}' does not support field selection`);
}

function undefinedField(field: string, fields: ReadonlyMap<string, Type>): string {
  return `undefined field ${JSON.stringify(field)}: the fields are ${[...fields.keys()].join(', ')}`;
}
