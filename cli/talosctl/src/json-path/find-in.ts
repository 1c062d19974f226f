import type { Comparison, Operand, PathStep } from './parse-json-path.ts';

type Members = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** All values that the steps select. A step that does not match selects nothing. */
export function findIn(root: unknown, steps: readonly PathStep[]): unknown[] {
  return steps.reduce<unknown[]>((values, step) => values.flatMap((value) => take(value, step)), [root]);
}

function take(value: unknown, step: PathStep): unknown[] {
  switch (step.kind) {
    case 'key':
      return isMap(value) && Object.hasOwn(value, step.key) ? [value[step.key]] : [];
    case 'every':
      return childrenOf(value);
    case 'descend':
      return [value, ...childrenOf(value).flatMap((child) => take(child, step))];
    case 'index': {
      if (!Array.isArray(value)) return [];
      const at = step.index < 0 ? value.length + step.index : step.index;
      return at in value ? [value[at]] : [];
    }
    case 'slice':
      if (!Array.isArray(value)) return [];
      return value.slice(step.from ?? 0, step.to).filter((_, at) => at % step.step === 0);
    case 'any-of':
      return step.steps.flatMap((each) => take(value, each));
    case 'filter':
      return childrenOf(value).filter((child) => isWanted(child, step.left, step.right));
  }
}

function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return isMap(value) ? Object.values(value) : [];
}

function isWanted(child: unknown, left: Operand, right: Comparison | undefined): boolean {
  const found = valuesOf(child, left);
  if (right === undefined) return found.length > 0;
  const others = valuesOf(child, right.operand);
  const [a, b] = [found[0], others[0]];
  if (found.length !== 1 || others.length !== 1)
    return right.operator === '!=' && found.length !== others.length;
  return compare(plain(a), right.operator, plain(b));
}

function valuesOf(child: unknown, operand: Operand): unknown[] {
  return 'path' in operand ? findIn(child, operand.path) : [operand.value];
}

const plain = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value);

function compare(a: unknown, operator: Comparison['operator'], b: unknown): boolean {
  if (operator === '==') return a === b;
  if (operator === '!=') return a !== b;
  const comparable = typeof a === typeof b && (typeof a === 'number' || typeof a === 'string');
  if (!comparable) return false;
  const [left, right] = [a as number, b as number];
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  return operator === '>' ? left > right : left >= right;
}
