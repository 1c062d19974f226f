import type { StepBudget } from './step-budget.ts';
import type { Type } from './type.ts';

/** More characters of one type are not printed. */
const maxTypeLength = 200;

/** The type as CEL writes it, cut when it is very long. Variables must be resolved before. */
export function formatType(type: Type, budget: StepBudget): string {
  const text = writeType(type, budget);
  return text.length > maxTypeLength ? `${text.slice(0, maxTypeLength)}…` : text;
}

function writeType({ kind, name, parameters }: Type, budget: StepBudget): string {
  budget.spend();
  if (kind === 'variable' || name === 'error') return 'dyn';
  if (parameters.length === 0) return name === 'null_type' ? 'null' : name;
  return `${name}(${parameters.map((each) => writeType(each, budget)).join(', ')})`;
}
