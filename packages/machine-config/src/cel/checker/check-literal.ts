import type { ListLiteral, MapLiteral, MessageLiteral } from '../syntax-tree.ts';
import { listType, mapType, optionalType, parameter, type Type } from '../types/type.ts';
import type { CheckContext } from './check-context.ts';
import type { Scope } from './scope.ts';

export function typeOfList(context: CheckContext, { items }: ListLiteral, scope: Scope | undefined): Type {
  let joined: Type | undefined;
  for (const { value, isOptional } of items) {
    const type = context.typeOf(value, scope);
    joined = context.substitution.join(joined, isOptional ? unwrap(context, type, value.at) : type);
  }
  return listType(joined ?? context.substitution.fresh());
}

export function typeOfMap(context: CheckContext, { entries }: MapLiteral, scope: Scope | undefined): Type {
  let keys: Type | undefined;
  let values: Type | undefined;
  for (const { key, value, isOptional } of entries) {
    keys = context.substitution.join(keys, context.typeOf(key, scope));
    const type = context.typeOf(value, scope);
    values = context.substitution.join(values, isOptional ? unwrap(context, type, value.at) : type);
  }
  return mapType(keys ?? context.substitution.fresh(), values ?? context.substitution.fresh());
}

export function typeOfMessage(
  context: CheckContext,
  message: MessageLiteral,
  scope: Scope | undefined,
): Type {
  const shape = context.environment.messages.get(message.name);
  if (shape === undefined)
    return context.report(message.at, `undeclared reference to ${JSON.stringify(message.name)}`);
  for (const { name, value, isOptional, at } of message.fields) {
    const type = context.typeOf(value, scope);
    const wanted = shape.fields.get(name);
    if (wanted === undefined) {
      context.report(at, `undefined field ${JSON.stringify(name)}`);
      continue;
    }
    const given = isOptional ? unwrap(context, type, value.at) : type;
    if (!context.substitution.isAssignable(given, wanted))
      context.report(
        at,
        `expected type of field '${name}' is '${context.format(wanted)}' but provided type is '${context.format(given)}'`,
      );
  }
  return shape.type;
}

/** Returns the value type of an optional item, such as `?b` in `[a, ?b]`. */
function unwrap(context: CheckContext, type: Type, at: number): Type {
  const optional = context.substitution.head(type);
  if (optional.name === 'optional_type') return parameter(optional, 0);
  context.require(type, optionalType(type), at);
  return type;
}
