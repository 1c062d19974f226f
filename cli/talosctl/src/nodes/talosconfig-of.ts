import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  locateTalosconfig,
  readExistingTalosconfig,
  type Talosconfig,
  type TalosconfigContext,
  type TalosconfigLocation,
} from '@nodewright/client/talosconfig';
import { Fault } from '@nodewright/fault';
import type { CliEnvironment } from '../context/command-module.ts';
import { findHomeFolder } from '../context/home-folder.ts';
import type { NodeOptions } from './node-options.ts';

/**
 * The location of the talosconfig of a command line.
 *
 * @throws Fault `not-found` when TALOSCONFIG names a missing file, because a default file could belong to another
 * cluster
 */
export function talosconfigLocation(
  env: Pick<CliEnvironment, 'environment' | 'cwd'>,
  options: Pick<NodeOptions, 'talosconfig'>,
): TalosconfigLocation {
  const missing = missingTalosconfig(env, options);
  if (missing === undefined) return locate(env, options);
  throw new Fault(
    'not-found',
    `talosconfig ${missing}, which the variable TALOSCONFIG names, does not exist: correct or unset the variable`,
  );
}

/**
 * The location that a command writes its talosconfig to. If TALOSCONFIG names a missing file, it prints a message,
 * because the command will create that file.
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

/** The path in TALOSCONFIG, if it does not exist and no flag names another file. */
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
  const home = findHomeFolder(environment) ?? '/';
  return locateTalosconfig({ flag: talosconfig, environment, cwd, home, exists: existsSync });
}

function nothingThere(path: string, what: string): Fault {
  return new Fault(
    'failed-precondition',
    `talosconfig ${path} ${what}: start a cluster with "make up" or "talosctl cluster create", or add one with "talosctl config merge <file>"`,
  );
}

/**
 * The context that a command line selects.
 *
 * @throws Fault `failed-precondition` when the file has no context, `not-found` when it lacks this one
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
  throw new Fault('not-found', `${what} in talosconfig ${path}; its contexts are: ${known}`);
}

/** Reads the talosconfig and the context that a command line selects. */
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
 * The name of the cluster of a command line: `--cluster`, or else the cluster of the context, or else the part after
 * `@` in the context's name, or else that name. It never comes from a node.
 */
export async function clusterName(
  env: Pick<CliEnvironment, 'environment' | 'cwd'>,
  options: Pick<NodeOptions, 'talosconfig' | 'context' | 'cluster'>,
): Promise<string> {
  const { name, context } = await readContext(env, options);
  return options.cluster ?? context.cluster ?? name.slice(name.lastIndexOf('@') + 1);
}
