import { ExpressionProblem } from './expression-problem.ts';
import type {
  Call,
  Comprehension,
  ComprehensionMacro,
  Expression,
  OptionalMacro,
  OptionalMapping,
  Selection,
} from './syntax-tree.ts';

type Unmeasured<T> = Omit<T, 'depth'>;
type Macro = Unmeasured<Comprehension> | Unmeasured<OptionalMapping> | Unmeasured<Selection>;

const comprehensions: readonly string[] = ['all', 'exists', 'exists_one', 'map', 'filter'];
const optionalMacros: readonly string[] = ['optMap', 'optFlatMap'];

/** Variable that the macro expansion of CEL declares. */
const accumulator = '__result__';

/**
 * Expands a call of a macro. Returns `undefined` when the name and the number of arguments are not those of a
 * macro.
 *
 * @throws ExpressionProblem if the macro does not accept an argument
 *
 * Source: Common Expression Language, language definition, macros.
 */
export function expandMacro(
  call: Unmeasured<Call>,
  target: Expression | undefined,
  hasOptionals: boolean,
): Macro | undefined {
  const { name, arguments: operands } = call;
  if (target === undefined) return name === 'has' && operands.length === 1 ? expandHas(call) : undefined;
  const isThree = name === 'map' && operands.length === 3;
  if (comprehensions.includes(name) && (operands.length === 2 || isThree))
    return expandComprehension(call, target);
  if (hasOptionals && optionalMacros.includes(name) && operands.length === 2)
    return {
      kind: 'optional-mapping',
      macro: name as OptionalMacro,
      target,
      variable: variableOf(operands[0] as Expression),
      body: operands[1] as Expression,
      at: call.at,
    };
  return undefined;
}

function expandHas({ arguments: operands }: Unmeasured<Call>): Unmeasured<Selection> {
  const [selection] = operands;
  if (selection?.kind !== 'selection' || selection.mode !== 'value')
    throw new ExpressionProblem(
      selection?.at ?? 0,
      'invalid argument to has() macro: it must select a field, as in has(a.b)',
    );
  return { ...selection, mode: 'presence' };
}

function expandComprehension(call: Unmeasured<Call>, range: Expression): Unmeasured<Comprehension> {
  const operands = [...call.arguments];
  const variable = variableOf(operands.shift() as Expression);
  const body = operands.pop() as Expression;
  const [condition] = operands;
  return {
    kind: 'comprehension',
    macro: call.name as ComprehensionMacro,
    range,
    variable,
    ...(condition === undefined ? {} : { condition }),
    body,
    at: call.at,
  };
}

function variableOf(expression: Expression): string {
  if (expression.kind !== 'name' || expression.isRooted)
    throw new ExpressionProblem(expression.at, 'the variable of a macro must be a simple name');
  if (expression.name === accumulator)
    throw new ExpressionProblem(expression.at, `the variable of a macro must not be ${accumulator}`);
  return expression.name;
}
