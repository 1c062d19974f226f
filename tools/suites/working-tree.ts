import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a checkout holds at a moment. */
export interface WorkingTree {
  readonly commit: string;
  /** Whether the files are those of the commit. */
  readonly clean: boolean;
  /** Git's id of all files that it does not ignore, with those that are not committed. */
  readonly tree: string;
}

/** Undefined where there is no Git, or no commit. */
export function readWorkingTree(checkout: string): WorkingTree | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'working-tree-'));
  try {
    // An index of its own, so that nobody's staged changes are touched. With the times of the real one Git reads changed files only.
    const index = join(folder, 'index');
    const real = git(checkout, 'rev-parse', '--git-path', 'index');
    if (existsSync(join(checkout, real))) copyFileSync(join(checkout, real), index);
    const env = { ...process.env, GIT_INDEX_FILE: index };
    execFileSync('git', ['add', '--all'], { cwd: checkout, env, stdio: 'pipe' });
    const tree = execFileSync('git', ['write-tree'], { cwd: checkout, env, encoding: 'utf8', stdio: 'pipe' });
    const commit = git(checkout, 'rev-parse', 'HEAD');
    const committed = git(checkout, 'rev-parse', 'HEAD^{tree}');
    return { commit, clean: tree.trim() === committed, tree: tree.trim() };
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Paths of files that differ between two commits or trees. Undefined when Git no longer has one of them. */
export function changedBetween(checkout: string, before: string, after: string): string[] | undefined {
  try {
    return git(checkout, 'diff', '--name-only', '--no-renames', '-z', before, after)
      .split('\0')
      .filter(Boolean);
  } catch {
    return undefined;
  }
}

/** Paths of all files that Git does not ignore, sorted. */
export function listFiles(checkout: string): string[] {
  const listed = git(checkout, 'ls-files', '--cached', '--others', '--exclude-standard', '-z');
  const paths = [...new Set(listed.split('\0'))].filter((path) => path !== '');
  return paths.filter((path) => existsSync(join(checkout, path))).sort();
}

/** What a Git command prints. Throws when it fails. */
export function git(checkout: string, ...words: string[]): string {
  const maxBuffer = 64 * 1024 * 1024;
  return execFileSync('git', words, { cwd: checkout, encoding: 'utf8', stdio: 'pipe', maxBuffer }).trim();
}
