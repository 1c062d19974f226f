import { execFileSync } from 'node:child_process';

/** What git prints for a checkout; `undefined` for an unpacked tarball, and before the first commit. */
export function askGit(checkout: string, ...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: checkout, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}

/** The commit that the images of a checkout name in their labels. */
export const imageRevision = (checkout: string): string => askGit(checkout, 'rev-parse', 'HEAD') ?? 'unknown';
