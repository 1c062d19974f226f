import { changedBetween, git, readWorkingTree } from '../suites/working-tree.ts';

export interface ChangedFiles {
  /** What the files are compared with, for people. */
  readonly base: string;
  readonly files: readonly string[];
}

/**
 * The files that differ from `base`, committed or not. Without it: from where this branch left origin's main branch. Where there is
 * none, or it is this commit, from the commit if files are not committed, and else from the commit before. Throws for a base that
 * Git does not know.
 */
export function findChangedFiles(checkout: string, base: string): ChangedFiles {
  const now = readWorkingTree(checkout);
  if (now === undefined) throw new Error('this folder is no Git checkout with a commit: run make test');
  const commit = base === '' ? defaultBase(checkout, now) : forkPoint(checkout, base);
  if (commit === undefined) throw new Error(`BASE=${base} is no commit of this checkout`);
  const files = changedBetween(checkout, commit, now.tree) ?? [];
  return { base: git(checkout, 'log', '-1', '--format=%h %s', commit), files };
}

function defaultBase(checkout: string, now: { readonly commit: string; readonly clean: boolean }): string {
  const fork = forkPoint(checkout, 'origin/HEAD') ?? forkPoint(checkout, 'origin/main');
  if (fork !== undefined && fork !== now.commit) return fork;
  return now.clean ? (forkPoint(checkout, 'HEAD~1') ?? now.commit) : now.commit;
}

function forkPoint(checkout: string, name: string): string | undefined {
  try {
    return git(checkout, 'merge-base', 'HEAD', '--', name);
  } catch {
    return undefined;
  }
}
