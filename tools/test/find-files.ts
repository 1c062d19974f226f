import { globSync } from 'node:fs';
import { basename } from 'node:path';

/** The test files that match glob patterns, below the checkout, sorted. */
export function matchFiles(checkout: string, patterns: readonly string[]): string[] {
  return globSync([...patterns], {
    cwd: checkout,
    exclude: (path) => path.includes('node_modules') || path.startsWith('_out'),
  }).sort();
}

/**
 * The files among `files` that a person means by a name: those with exactly this name, with or without `.test.ts`; else those with it
 * in their path.
 */
export function findByName(files: readonly string[], name: string): string[] {
  const exact = files.filter(
    (file) => file === name || basename(file) === name || basename(file, '.test.ts') === name,
  );
  return exact.length > 0 ? exact : files.filter((file) => file.includes(name));
}
