import type { NodeClient, TalosClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import { checkServerVersions } from '../check-server-versions.ts';
import type { CliEnvironment } from '../command-module.ts';
import type { NodeOptions, OutputOptions } from '../node-options.ts';
import { openClient } from '../open-client.ts';
import { showWait } from '../progress.ts';
import { type Applied, type ApplyOptions, applyConfiguration } from './apply-options.ts';
import { ApplyReport } from './apply-report.ts';
import { checkKind } from './node-configuration.ts';

/** Options of the commands that change a configuration where it is. */
export interface ChangeOptions extends NodeOptions, OutputOptions, ApplyOptions {}

/**
 * Changes the machine configuration of one node after the other. One that fails costs the others nothing. What `change`
 * throws is taken for a configuration that could not be read.
 *
 * @param type the kind as the user named it
 * @param verb what is done, as in `patched`
 * @param change may say `stop`: then the other nodes are left alone
 */
export async function walkNodes(
  env: CliEnvironment,
  options: ChangeOptions,
  { type, verb }: { readonly type: string; readonly verb: string },
  change: (node: NodeClient, report: ApplyReport) => Promise<'stop' | undefined>,
): Promise<void> {
  using client: TalosClient = await openClient(env, options);
  await checkServerVersions(env, client);
  await checkKind(env, client, type, verb);
  const report = new ApplyReport(
    env,
    options,
    client.targets.map(({ name }) => name),
  );
  for (const node of client.targets) {
    if (env.signal.aborted) break;
    try {
      if ((await change(node, report)) === 'stop') break;
    } catch (error) {
      report.unread(node.name, faultFrom(error));
    }
  }
  await report.end();
}

/** Sends its changed configuration to a node, and shows that it is waited for. */
export function sendChange(
  { signal, stderr }: CliEnvironment,
  node: NodeClient,
  text: string,
  options: ApplyOptions,
): Promise<Applied> {
  return showWait(stderr, node.name, applyConfiguration(node, text, options, signal));
}
