import type { NodeClient, TalosClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import { CommandLimit } from '../context/command-limit.ts';
import type { CliEnvironment } from '../context/command-module.ts';
import { InterruptedFailure } from '../context/failure.ts';
import { showWait } from '../context/progress.ts';
import { checkServerVersions } from '../nodes/check-server-versions.ts';
import type { NodeOptions, OutputOptions } from '../nodes/node-options.ts';
import { openClient } from '../nodes/open-client.ts';
import { type Applied, type ApplyOptions, applyConfiguration } from './apply-options.ts';
import { ApplyReport } from './apply-report.ts';
import { answerNanos, checkKind } from './node-configuration.ts';

/** Options of the commands that change the configuration on a node. */
export interface ChangeOptions extends NodeOptions, OutputOptions, ApplyOptions {}

/**
 * Changes the machine configuration of one node after the other. A failure of one node does not stop the others. An
 * error that `change` throws is reported as a failure to read the configuration, and an InterruptedFailure as Ctrl-C, after which no
 * other node is changed.
 *
 * @param type the resource type as the user named it
 * @param verb the change in messages, such as `patched`
 * @param change may return `stop`, which skips the remaining nodes
 */
export async function walkNodes(
  env: CliEnvironment,
  options: ChangeOptions,
  { type, verb }: { readonly type: string; readonly verb: string },
  change: (node: NodeClient, report: ApplyReport, client: TalosClient) => Promise<'stop' | undefined>,
): Promise<void> {
  using client: TalosClient = await openClient(env, options);
  {
    using limit = new CommandLimit(answerNanos, env.signal);
    await checkServerVersions(env, client, limit);
  }
  await checkKind(env, client, type, verb);
  const report = new ApplyReport(
    env,
    options,
    client.targets.map(({ name }) => name),
  );
  for (const node of client.targets) {
    if (env.signal.aborted) break;
    try {
      if ((await change(node, report, client)) === 'stop') break;
    } catch (error) {
      if (error instanceof InterruptedFailure) {
        report.interrupted(node.name);
        break;
      }
      report.unread(node.name, faultFrom(error));
    }
  }
  await report.end();
}

/** Sends a changed configuration to a node and shows on stderr that the command is waiting. */
export function sendChange(
  { signal, stderr }: CliEnvironment,
  node: NodeClient,
  text: string,
  options: ApplyOptions,
): Promise<Applied> {
  return showWait(stderr, node.name, applyConfiguration(node, text, options, signal));
}
