import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { isAbsolute, resolve } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { locateTalosconfig } from './locate-talosconfig.ts';
import { parseTalosconfig } from './parse-talosconfig.ts';
import type { TalosconfigContext } from './talosconfig.ts';

export interface CurrentContextInit {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/**
 * The current context of the talosconfig that talosctl would use: that of `TALOSCONFIG`, else `$TALOS_HOME/config`, else
 * `~/.talos/config`, else the one that is mounted into a pod.
 *
 * @throws Fault `not-found` when `TALOSCONFIG` names a missing file, because another file could belong to another cluster;
 * `failed-precondition` when there is no file or no current context; with the path when the file cannot be read
 */
export function readCurrentContext({ environment, cwd }: CurrentContextInit): TalosconfigContext {
  const { TALOSCONFIG = '' } = environment;
  if (TALOSCONFIG !== '' && !existsSync(resolve(cwd, TALOSCONFIG)))
    throw new Fault(
      'not-found',
      `talosconfig ${resolve(cwd, TALOSCONFIG)}, which TALOSCONFIG names, is missing`,
    );
  const { path } = locateTalosconfig({ environment, cwd, home: homeOf(environment), exists: existsSync });
  const { context: name, contexts } = parseTalosconfig(readText(path), path);
  const context = contexts.get(name);
  if (context !== undefined) return context;
  const known = contexts.size === 0 ? 'it has none' : `it has ${[...contexts.keys()].sort().join(', ')}`;
  const what = name === '' ? 'no context is current' : `context "${name}", the current one, is not defined`;
  throw new Fault('failed-precondition', `${what} in talosconfig ${path}: ${known}`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { kind, message } = faultFrom(error);
    if (kind === 'not-found')
      throw new Fault(
        'failed-precondition',
        `there is no talosconfig: TALOSCONFIG is not set, and ${path} is missing`,
      );
    throw new Fault(kind, `talosconfig ${path} cannot be read: ${message}`, { cause: error });
  }
}

/** HOME, else the folder of the account; `/` when neither is known. */
function homeOf({ HOME = '' }: CurrentContextInit['environment']): string {
  if (isAbsolute(HOME)) return HOME;
  try {
    const { homedir } = userInfo();
    return isAbsolute(homedir) ? homedir : '/';
  } catch {
    // A container may run as a user without an account.
    return '/';
  }
}
