// Evaluates the selectors of a configuration. It takes as long as an expression takes, so it runs only in a worker thread that has a
// limit of time and of memory.
import { type CelEnv, type CelInput, celEnv, celUint, isCelError, parse, plan } from '@bufbuild/cel';
import {
  create,
  type DescMessage,
  type FileRegistry,
  type MessageInitShape,
  ScalarType,
} from '@bufbuild/protobuf';
import { checkExpression } from '../check-expression.ts';
import { linkEnumerations } from '../declarations/enumerations.ts';
import { declarationsOf, unitBytes } from '../declarations/environments.ts';
import { maxCandidates, maxProblemLength } from '../limits.ts';
import { boundedFunctions, functionsOf } from './functions.ts';
import { messageRegistry } from './message-descriptors.ts';
import {
  type Selection,
  type SelectorEnvironment,
  type SelectorRequest,
  type SelectorVariables,
  selectorProblem,
} from './selector.ts';
import { ValueBudget } from './value-budget.ts';

/**
 * Evaluates one expression for each candidate. An expression that fails for one of them selects none, as it says nothing
 * about that one.
 */
export function evaluateSelector(request: SelectorRequest): Selection {
  const { environment, expression, candidates } = request;
  const problem = (text: string) => ({ problem: selectorProblem(request, text) });
  if (candidates.length > maxCandidates)
    return problem(`is not evaluated for more than ${maxCandidates} objects`);
  const invalid = checkExpression(expression, environment, 'bool');
  if (invalid !== undefined) return problem(invalid);
  const { env, bind } = selectorEnvironment(environment);
  let evaluate: ReturnType<typeof plan>;
  try {
    evaluate = plan(env, parse(expression));
  } catch (error) {
    return problem(`cannot be evaluated: ${messageOf(error)}`);
  }
  const selected: string[] = [];
  for (const candidate of candidates) {
    const result = evaluate(bind(candidate.variables));
    if (isCelError(result)) return problem(`cannot be evaluated for ${candidate.name}: ${messageOf(result)}`);
    if (typeof result !== 'boolean') return problem(`is neither true nor false for ${candidate.name}`);
    if (result) selected.push(candidate.name);
  }
  return { selected };
}

/** The evaluator's environment for the expressions of a field, and how it gets the variables of one candidate. */
export function selectorEnvironment(environment: SelectorEnvironment): {
  readonly env: CelEnv;
  readonly bind: (values: SelectorVariables) => Record<string, CelInput>;
} {
  const { messages = {}, variables } = declarationsOf(environment);
  const registry = messageRegistry(messages, linkEnumerations);
  return {
    env: boundedEnvironment({ registry, functions: functionsOf(environment) }),
    bind: (values) => ({ ...units, ...boundVariables(values, variables, registry) }),
  };
}

/** An environment of the evaluator whose new values are counted. */
export function boundedEnvironment(init: {
  readonly registry: FileRegistry | CelEnv['registry'];
  readonly functions?: ReturnType<typeof functionsOf>;
  readonly namespace?: string;
}): CelEnv {
  const { registry, functions = [], namespace = '' } = init;
  return celEnv({ registry, namespace, funcs: [...boundedFunctions(new ValueBudget()), ...functions] });
}

const messageOf = (error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  return text.length > maxProblemLength ? `${text.slice(0, maxProblemLength)}…` : text;
};

const { INT64, UINT64 } = ScalarType;
const wholeNumbers: ReadonlySet<ScalarType> = new Set([INT64, UINT64]);

const units = Object.fromEntries(Object.entries(unitBytes).map(([name, bytes]) => [name, celUint(bytes)]));

function boundVariables(
  values: SelectorVariables,
  types: Readonly<Record<string, string>>,
  registry: FileRegistry,
): Record<string, CelInput> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const descriptor = registry.getMessage(types[name] ?? '');
      return [name, descriptor === undefined ? value : create(descriptor, messageInit(descriptor, value))];
    }) as [string, CelInput][],
  );
}

/** The fields that the message has; whole numbers become those of 64 bits. */
function messageInit(descriptor: DescMessage, value: unknown): MessageInitShape<DescMessage> {
  const given = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    descriptor.fields.flatMap((field) => {
      const own = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
      if (own === undefined) return [];
      const convert = (one: unknown) => {
        if (field.message !== undefined) return messageInit(field.message, one);
        return typeof one === 'number' && field.scalar !== undefined && wholeNumbers.has(field.scalar)
          ? BigInt(one)
          : one;
      };
      return [[field.localName, Array.isArray(own) ? own.map(convert) : convert(own)]];
    }),
  ) as MessageInitShape<DescMessage>;
}
