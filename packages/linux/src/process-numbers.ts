import { readdirSync } from 'node:fs';

/** The processes that there are, by number, as the kernel lists them: Node.js sorts names as words. */
export function processNumbers(procRoot: string): number[] {
  return readdirSync(procRoot)
    .filter((name) => /^\d{1,10}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}
