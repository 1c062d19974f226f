import type { NodeClient, TalosClient } from '@nodewright/client';
import type { ActionEffect, PlannedAction } from '@nodewright/client/what-if';
import type { CliEnvironment } from '../context/command-module.ts';
import type { NodeOptions } from '../nodes/node-options.ts';
import { readContext } from '../nodes/talosconfig-of.ts';
import { plainError } from '../render/plain-error.ts';
import { readCertificateFacts } from '../values/certificate-facts.ts';

/** An effect, and its sentences for the user, one per line. */
export interface ReadEffect {
  readonly effect: ActionEffect;
  readonly lines: readonly string[];
  /** What stops on each node. */
  readonly stops: readonly string[];
}

export interface ReadEffectInit {
  readonly client: TalosClient;
  /** The nodes that are chosen for the action. */
  readonly nodes: readonly NodeClient[];
  readonly callerRoles: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/** Asks the nodes what the action would do, before it is started. */
export async function readEffect(planned: PlannedAction, init: ReadEffectInit): Promise<ReadEffect> {
  // Loaded only when somebody is asked: it reads YAML.
  const { effectLines, readClusterFacts, stopLines, whatIf } = await import('@nodewright/client/what-if');
  const effect = whatIf(planned, await readClusterFacts(init));
  return { effect, lines: effectLines(effect).map(plainError), stops: stopLines(effect) };
}

/** The roles in the certificate of the command line's context; undefined without one. */
export async function callerRolesOf(
  env: Pick<CliEnvironment, 'environment' | 'cwd'>,
  options: NodeOptions,
): Promise<readonly string[] | undefined> {
  if (options.insecure) return undefined;
  const { crt } = (await readContext(env, options)).context;
  return crt === undefined ? undefined : readCertificateFacts(crt).roles;
}
