import { userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { Fault } from '@nodewright/fault';

/**
 * The home folder of the user: HOME, or else that of the account; undefined when neither is known. An empty or relative HOME does not
 * count, because secrets would go into the working folder. `homedir()` of Node returns an empty HOME as it is.
 */
export function findHomeFolder({ HOME = '' }: Readonly<NodeJS.ProcessEnv>): string | undefined {
  if (isAbsolute(HOME)) return HOME;
  const home = accountHome();
  return isAbsolute(home) ? home : undefined;
}

/** The same. @throws Fault `failed-precondition` when no home folder is known */
export function homeFolder(environment: Readonly<NodeJS.ProcessEnv>): string {
  const home = findHomeFolder(environment);
  if (home !== undefined) return home;
  throw new Fault('failed-precondition', 'there is no home folder: set HOME to a path, or name a file');
}

function accountHome(): string {
  try {
    return userInfo().homedir;
  } catch {
    // A container may run as a user without an account.
    return '';
  }
}
