import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
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

/**
 * Where the talosconfig of a command line is.
 *
 * @throws Fault `not-found` when TALOSCONFIG names a file that does not exist: another one in its place could be of
 * another cluster
 */
export function talosconfigLocation(
  env: Pick<CliEnvironment, 'environment' | 'cwd'>,
  options: Pick<NodeOptions, 'talosconfig'>,
): TalosconfigLocation {
  const missing = missingTalosconfig(env, options);
  if (missing === undefined) return locate(env, options);
  throw new Fault(
    'not-found',
    `talosconfig ${missing}, which the variable TALOSCONFIG names, does not exist: correct the variable, or unset it`,
  );
}

/**
 * Where a command writes its talosconfig: a missing file that TALOSCONFIG names is made, which the user is told before
 * anything changes.
 */
export function writtenTalosconfig(
  env: Pick<CliEnvironment, 'environment' | 'cwd' | 'stderr'>,
  options: Pick<NodeOptions, 'talosconfig'>,
): TalosconfigLocation {
  const missing = missingTalosconfig(env, options);
  if (missing === undefined) return locate(env, options);
  env.stderr.write(`talosconfig ${missing}, which the variable TALOSCONFIG names, does not exist yet\n`);
  return { path: missing, writable: true };
}

/** The path that TALOSCONFIG names, if nothing is there and no flag names another file. */
function missingTalosconfig(
  { environment, cwd }: Pick<CliEnvironment, 'environment' | 'cwd'>,
  { talosconfig }: Pick<NodeOptions, 'talosconfig'>,
): string | undefined {
  if (talosconfig || !environment.TALOSCONFIG) return undefined;
  const path = resolve(cwd, environment.TALOSCONFIG);
  return existsSync(path) ? undefined : path;
}

function locate(
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

/**
 * What the user calls the cluster of a command line: the cluster of its context, else what follows the `@` in the name
 * of the context, else that name. Never what a node says.
 */
export async function clusterName(
  env: Pick<CliEnvironment, 'environment' | 'cwd'>,
  options: Pick<NodeOptions, 'talosconfig' | 'context' | 'cluster'>,
): Promise<string> {
  const { name, context } = await readContext(env, options);
  return options.cluster ?? context.cluster ?? name.slice(name.lastIndexOf('@') + 1);
}
