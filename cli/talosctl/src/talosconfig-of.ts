import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import {
  locateTalosconfig,
  readExistingTalosconfig,
  type Talosconfig,
  type TalosconfigContext,
  type TalosconfigLocation,
} from '@nodewright/client/talosconfig';
import { Fault } from '@nodewright/fault';
import type { CliEnvironment } from './command-module.ts';
import type { NodeOptions } from './node-options.ts';

/** Where the talosconfig of a command line is. */
export function talosconfigLocation(
  { environment, cwd }: Pick<CliEnvironment, 'environment' | 'cwd'>,
  { talosconfig }: Pick<NodeOptions, 'talosconfig'>,
): TalosconfigLocation {
  const home = environment.HOME || homedir();
  return locateTalosconfig({ flag: talosconfig, environment, cwd, home, exists: existsSync });
}

function nothingThere(path: string, what: string): Fault {
  return new Fault(
    'failed-precondition',
    `talosconfig ${path} ${what}: start a cluster with "make up" or "talosctl cluster create", or add one with "talosctl config merge <file>"`,
  );
}

/**
 * The context that a command line is about.
 *
 * @throws Fault `failed-precondition` when the file holds no context, `not-found` when it has no such one; both say
 * what to do
 */
export function chooseContext(
  config: Talosconfig,
  path: string,
  wanted: string | undefined,
): { readonly name: string; readonly context: TalosconfigContext } {
  if (config.contexts.size === 0) throw nothingThere(path, 'is empty');
  const name = wanted ?? config.context;
  const context = config.contexts.get(name);
  if (context !== undefined) return { name, context };
  const known = [...config.contexts.keys()].sort().join(', ');
  const what = name === '' ? 'no context is current' : `context "${name}" is not defined`;
  throw new Fault('not-found', `${what} in talosconfig ${path}; it has: ${known}`);
}

/** Reads the talosconfig and chooses the context of a command line. */
export async function readContext(
  env: Pick<CliEnvironment, 'environment' | 'cwd'>,
  options: Pick<NodeOptions, 'talosconfig' | 'context'>,
): Promise<{ readonly name: string; readonly context: TalosconfigContext; readonly path: string }> {
  const { path } = talosconfigLocation(env, options);
  const config = await readExistingTalosconfig(path);
  if (config === undefined) throw nothingThere(path, 'does not exist');
  return { ...chooseContext(config, path, options.context), path };
}
