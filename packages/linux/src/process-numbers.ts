import { readdirSync } from 'node:fs';

/** The numbers of the running processes in the kernel's order; Node.js would sort the names as texts. */
export function processNumbers(procRoot: string): number[] {
  return readdirSync(procRoot)
    .filter((name) => /^\d{1,10}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}
