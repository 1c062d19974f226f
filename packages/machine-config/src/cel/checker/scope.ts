import type { Type } from '../types/type.ts';

/** Variables declared by macros, innermost first. */
export interface Scope {
  readonly name: string;
  readonly type: Type;
  readonly outer: Scope | undefined;
}

export function findInScope(scope: Scope | undefined, name: string): Type | undefined {
  for (let current = scope; current !== undefined; current = current.outer)
    if (current.name === name) return current.type;
  return undefined;
}
