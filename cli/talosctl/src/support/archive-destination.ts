import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { NodeClient } from '@nodewright/client';
import { Fault } from '@nodewright/fault';
import { pointerTo } from '@nodewright/state';
import { parse } from 'yaml';
import type { CliEnvironment } from '../context/command-module.ts';
import { encodedStateOf } from '../get/get-resources.ts';
import type { OutputOptions } from '../nodes/node-options.ts';
import { openQuestions } from '../nodes/open-questions.ts';
import { archiveName } from './archive-path.ts';

const clusterInfo = pointerTo({ namespace: 'cluster', type: 'Infos.cluster.talos.dev' }, 'current');
const askTimeoutMs = 5000;

/**
 * `support-<cluster>.zip`, or `support.zip` when the node does not report the name. Source: Talos v1.14:
 * support bundle.
 */
export async function defaultArchiveName(node: NodeClient, signal: AbortSignal): Promise<string> {
  try {
    const timely = AbortSignal.any([signal, AbortSignal.timeout(askTimeoutMs)]);
    const { spec } = await encodedStateOf(node).get(clusterInfo, { signal: timely });
    const { clusterName } = parse((spec as { readonly yaml: string }).yaml) as { clusterName?: unknown };
    if (typeof clusterName === 'string' && clusterName !== '')
      return `support-${archiveName(clusterName)}.zip`;
  } catch {
    // The name is optional. If the node does not answer, the collection itself reports the reason.
  }
  return 'support.zip';
}

/**
 * The absolute path of the archive. An existing archive may be the only record of an earlier state of the
 * cluster, so it is replaced only if the user agrees.
 *
 * @throws Fault `already-exists` without a terminal; the failures of a question that was not answered with yes
 */
export async function archiveDestination(
  env: CliEnvironment,
  name: string,
  { output }: OutputOptions,
): Promise<string> {
  const path = resolve(env.cwd, name);
  if (!existsSync(path)) return path;
  const quoted = JSON.stringify(name);
  if (env.isInteractive) {
    using questions = openQuestions(env, { output, document: (error) => ({ archive: name, error }) });
    if (await questions.isConfirmed(`${quoted} exists already: replace it? (y/N): `)) return path;
    await questions.refuse();
  }
  throw new Fault(
    'already-exists',
    `${quoted} exists already: remove it, or name another file with --output`,
  );
}
