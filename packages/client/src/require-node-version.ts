import { Fault } from '@nodewright/fault';

/** The oldest supported major version of Node.js. */
export const oldestNodeMajor = 22;

/**
 * Rejects an unsupported version of Node.js at once, because the failures that would follow are harder to
 * understand.
 *
 * @param version such as `22.11.0`
 * @throws Fault `failed-precondition`
 */
export function requireNodeVersion(version: string): void {
  const major = Number.parseInt(version, 10);
  if (!(major >= oldestNodeMajor))
    throw new Fault(
      'failed-precondition',
      `@nodewright/client needs Node.js ${oldestNodeMajor} or later: this is ${version}`,
    );
}
