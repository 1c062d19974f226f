import { Fault } from '@nodewright/fault';

/** The oldest major version of Node.js that the client works with. */
export const oldestNodeMajor = 22;

/**
 * Refuses a Node.js that lacks what the client is made of, before anything fails in a less obvious way.
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
