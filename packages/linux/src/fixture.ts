import { readFileSync } from 'node:fs';

/** The text of a file in `fixtures/`, which real kernels printed. For tests. */
export function fixture(name: string): string {
  return readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');
}
