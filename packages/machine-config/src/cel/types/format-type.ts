import type { StepBudget } from './step-budget.ts';
import type { Type } from './type.ts';

/** Maximum number of characters printed of one type. */
const maxTypeLength = 200;

/** Formats a type in CEL notation and truncates a very long text. Type variables must be resolved first. */
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
