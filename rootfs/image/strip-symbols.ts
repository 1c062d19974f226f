import { statSync } from 'node:fs';
import type { LockedTools } from '../debian/locked-tools.ts';
import { triplets } from '../recipe.ts';

/**
 * Removes the symbol table of a program, which only debuggers read. The dynamic symbols stay, with which native add-ons and
 * `node:ffi` find their functions. The same program gives the same bytes.
 *
 * @returns its size afterwards
 * @throws Error with the tool's message
 */
export function stripSymbols(tools: LockedTools, program: string): number {
  tools.run(`usr/bin/${triplets[tools.architecture]}-strip`, [program]);
  return statSync(program).size;
}
