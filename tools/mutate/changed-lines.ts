import { git } from '../suites/working-tree.ts';

/** The lines that differ from a commit, by file, as they are numbered now. Throws for a commit that Git does not know. */
export function changedLines(checkout: string, base: string): Map<string, Set<number>> {
  return linesOfDiff(git(checkout, 'diff', '--unified=0', '--no-renames', '--no-color', base, '--'));
}

/** The same of what `git diff --unified=0` prints. */
export function linesOfDiff(diff: string): Map<string, Set<number>> {
  const lines = new Map<string, Set<number>>();
  let file = '';
  for (const line of diff.split('\n')) {
    if (line.startsWith('+++ ')) file = line.replace(/^\+\+\+ (?:b\/)?/, '');
    const [, first, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (first === undefined) continue;
    const known = lines.get(file) ?? new Set();
    for (let at = 0; at < Number(count); at += 1) known.add(Number(first) + at);
    lines.set(file, known);
  }
  return lines;
}
