import type { NodeClient, TalosClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import { isMeant } from '../ask-question.ts';
import { checkServerVersions } from '../check-server-versions.ts';
import type { CliEnvironment } from '../command-module.ts';
import { NodeErrors } from '../node-errors.ts';
import { openClient } from '../open-client.ts';
import { documentError, writeDocument } from '../render/document.ts';
import { reportNodes } from '../report-nodes.ts';
import { openActionDisplay } from './action-display.ts';
import type { ActionOptions } from './action-options.ts';
import { openKernelTail } from './kernel-tail.ts';
import { MeetingPoint } from './meeting-point.ts';
import type { NodeAction } from './node-action.ts';
import { trackNode } from './track-node.ts';

export interface ActionCommand {
  /** The verb as the user typed it. */
  readonly verb: string;
  readonly action: NodeAction;
  /** What will have changed on the nodes afterwards; asked for only when somebody is asked. */
  readonly effect: (client: TalosClient, signal: AbortSignal) => Promise<readonly string[]>;
}

/** What became of the action on one node. */
interface Outcome {
  readonly node: string;
  readonly actorId?: string;
  readonly fault?: Fault;
  readonly seconds: number;
}

/**
 * Says what the verb is about to do and asks, then has every target do it at once and, unless the user does not want
 * to, waits for each and shows how it goes. @throws ReportedFailure when a node failed, or was not done in time
 */
export async function runNodeAction(
  env: CliEnvironment,
  options: ActionOptions,
  { verb, action, effect }: ActionCommand,
): Promise<void> {
  using client = await openClient(env, options);
  await checkServerVersions(env, client);
  const nodes = client.targets.map(({ name }) => name);
  const isAsked = !options.yes && env.isInteractive;
  const lines = isAsked ? await effect(client, env.signal) : [];
  if (!(await isMeant(env, { verb, nodes, lines }, options.yes === true))) return;

  if (!options.wait && !options.debug) {
    return reportNodes(env, options, {
      call: (node, signal) => action.start(node, signal),
      ...{ header: [], headerWithoutRows: false, flushWhenIdle: false, rows: () => [] },
      document: (actorId) => ({ actorId }),
    });
  }
  const outcomes = await trackNodes(env, options, client.targets, action);
  if (options.output !== 'table') {
    await writeDocument(
      env.stdout,
      options.output,
      outcomes.map(({ fault, seconds, ...facts }) => ({
        ...facts,
        ...(fault === undefined ? { done: true, seconds } : { error: documentError(fault) }),
      })),
    );
  }
  const errors = new NodeErrors(env);
  for (const { node, fault } of outcomes) if (fault !== undefined) errors.add(node, fault);
  errors.end();
}

async function trackNodes(
  env: CliEnvironment,
  { debug = false, timeout, progress }: ActionOptions,
  nodes: readonly NodeClient[],
  action: NodeAction,
): Promise<Outcome[]> {
  const timeoutMs = Number(timeout / 1_000_000n);
  const late = AbortSignal.timeout(Math.min(timeoutMs, 2 ** 31 - 1));
  const signal = AbortSignal.any([env.signal, late]);
  const names = nodes.map(({ name }) => name);
  const isPlain = progress === 'plain';
  const tails = debug ? nodes.map((node) => openKernelTail(node)) : [];
  using display = openActionDisplay(env.stderr, names, { isPlain, environment: env.environment });
  // One of them may be the way to another: nobody goes before all have been asked what there is to ask.
  const meeting = new MeetingPoint(nodes.length);
  const track = async (node: NodeClient): Promise<Outcome> => {
    const { arrive, leave } = meeting.place();
    const started = performance.now();
    const seconds = () => Math.round(performance.now() - started) / 1000;
    const tell = (message: string) => display.update(node.name, message);
    try {
      const actorId = await trackNode({ node, action, tell, signal, onReady: arrive });
      display.update(node.name, 'done', 'done');
      return { node: node.name, actorId, seconds: seconds() };
    } catch (error) {
      leave();
      const fault = late.aborted
        ? new Fault('deadline-exceeded', `it was not done within ${timeoutMs / 1000} s`)
        : faultFrom(error);
      display.update(node.name, `error: ${fault.message}`, 'failed');
      return { node: node.name, fault, seconds: seconds() };
    }
  };
  const outcomes = await Promise.all(nodes.map(track));
  display[Symbol.dispose]();
  for (const [index, tail] of tails.entries()) {
    const { node = '', fault } = outcomes[index] ?? {};
    const text = await tail.end();
    if (fault !== undefined && text !== '') env.stderr.write(`kernel log of ${node}:\n${text}`);
  }
  return outcomes;
}
