// `talosctl upgrade --all`, and the tasks of the roll-out that it begins. It is our own: upstream upgrades the nodes that -n names.
import type { NodeClient } from '@nodewright/client';
import type { Rollout, StartRequest } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import type { ActionOptions } from '../action/action-options.ts';
import { CommandLimit } from '../context/command-limit.ts';
import type { CliEnvironment } from '../context/command-module.ts';
import { CancelledFault } from '../context/failure.ts';
import { Progress } from '../context/progress.ts';
import { confirmEffect } from '../nodes/ask-question.ts';
import { openClient } from '../nodes/open-client.ts';
import { escapeLine } from '../output/escape-text.ts';
import { openItems, writeDocument } from '../render/document.ts';
import { Table } from '../render/table.ts';
import { askAny, askedNodes, followRollout } from './rollout-calls.ts';
import * as text from './rollout-text.ts';

export type WantedRollout = Omit<StartRequest, 'dryRun'>;

interface TaskOptions extends ActionOptions {
  readonly watch?: boolean;
}

const goesOn =
  'the roll-out goes on in the cluster: look at it again with "talosctl upgrade status --watch", end it with "talosctl upgrade abort"';

/** Upgrades all nodes. @throws Fault with what to do when it does not begin, or stops */
export async function upgradeAll(
  env: CliEnvironment,
  options: ActionOptions,
  wanted: WantedRollout,
): Promise<void> {
  using client = await openClient(env, options);
  const nodes = askedNodes(client, (options.nodes ?? []).length > 0);
  using limit = new CommandLimit(options.timeout, env.signal);
  const start = (dryRun: boolean) =>
    limit.guard(
      askAny(nodes, (node) => node.rollouts.start({ ...wanted, dryRun }, limit), limit.signal).catch(
        namedFault,
      ),
    );
  const { rollout: planned, preview } = await start(true);
  if (options.dryRun) {
    if (options.output === 'table') writePreview(env, preview, planned);
    else
      await writeDocument(env.stdout, options.output, {
        rollout: planned && text.rolloutDocument(planned),
        preview: text.previewDocument(preview),
      });
    return;
  }
  await limit.whileStopped(() =>
    confirmEffect(
      env,
      {
        verb: 'upgrade --all',
        nodes: preview.map(({ node }) => node),
        lines: preview.map(({ node, action }) => `${node}: ${action}`),
      },
      options,
    ),
  );
  const { rollout } = await start(false);
  if (rollout === undefined) throw new Fault('data-loss', 'the node answered without the roll-out');
  if (options.wait) return await showUntilSettled(env, options, { nodes, limit, begun: rollout });
  if (options.output !== 'table')
    await writeDocument(env.stdout, options.output, text.rolloutDocument(rollout));
  else env.stdout.write(`${escapeLine(text.rolloutLine(rollout))}\n`);
  env.stderr.write(`${goesOn}\n`);
}

/** Shows the roll-out, or asks something of it. */
export async function runRolloutTask(
  env: CliEnvironment,
  task: 'status' | 'resume' | 'abort',
  options: TaskOptions,
): Promise<void> {
  using client = await openClient(env, options);
  const nodes = askedNodes(client, (options.nodes ?? []).length > 0);
  using limit = new CommandLimit(options.timeout, env.signal);
  const { signal } = limit;
  if (task === 'status' && options.watch) return await watchStatus(env, options, nodes, limit);
  const calls = {
    status: (node: NodeClient) => node.rollouts.status({}, { signal }),
    resume: (node: NodeClient) => node.rollouts.resume({ id: '' }, { signal }),
    abort: (node: NodeClient) => node.rollouts.abort({ id: '' }, { signal }),
  };
  const { rollout } = await limit.guard(askAny(nodes, calls[task], signal).catch(namedFault));
  if (options.output !== 'table')
    return writeDocument(
      env.stdout,
      options.output,
      rollout === undefined ? null : text.rolloutDocument(rollout),
    );
  if (rollout === undefined) {
    const removed = 'the plan in etcd was not valid, and is removed';
    env.stdout.write(`${task === 'abort' ? removed : 'no roll-out has begun yet'}\n`);
    return;
  }
  writeRollout(env, rollout);
  const next = task === 'status' ? text.nextStep(rollout) : undefined;
  if (next !== undefined) env.stderr.write(`${next}\n`);
  if (task !== 'status' && !rollout.isSettled)
    env.stderr.write('follow it with "talosctl upgrade status --watch"\n');
}

interface Followed {
  readonly nodes: readonly NodeClient[];
  readonly limit: CommandLimit;
  readonly begun: Rollout;
}

/** Shows the progress until the roll-out ends, pauses or stops. */
async function showUntilSettled(
  env: CliEnvironment,
  options: ActionOptions,
  { nodes, limit, begun }: Followed,
): Promise<void> {
  const last = await followed(env, nodes, limit, begun);
  if (options.output !== 'table') await writeDocument(env.stdout, options.output, text.rolloutDocument(last));
  else writeRollout(env, last);
  const next = text.nextStep(last);
  if (last.phase === 'done') return;
  if (last.phase === 'paused' && next !== undefined) env.stderr.write(`${next}\n`);
  else
    throw new Fault(
      'aborted',
      [`the roll-out is ${last.phase}: ${last.reason}`, ...(next === undefined ? [] : [next])].join('; '),
    );
}

/** Prints what changes, and returns the last state. */
async function followed(
  env: CliEnvironment,
  nodes: readonly NodeClient[],
  limit: CommandLimit,
  begun: Rollout,
): Promise<Rollout> {
  let last: Rollout | undefined;
  using progress = new Progress(env.stderr, () => last?.waitsFor || 'the roll-out');
  const show = (rollout: Rollout) => {
    progress.pause();
    for (const line of text.changeLines(last, rollout)) env.stderr.write(`${escapeLine(line)}\n`);
    last = rollout;
  };
  show(begun);
  try {
    for await (const rollout of followRollout(nodes, limit.signal)) {
      if (rollout === undefined || rollout.id !== begun.id)
        throw new Fault('aborted', `the roll-out ${begun.id} is not in the cluster any more`);
      show(rollout);
    }
  } catch (error) {
    if (env.signal.aborted) throw new CancelledFault(goesOn);
    const fault = limit.isOver ? limit.fault : faultFrom(error);
    throw new Fault(fault.kind, `${fault.message}; ${goesOn}`, { cause: error });
  }
  return last ?? begun;
}

/** `status --watch`. */
async function watchStatus(
  env: CliEnvironment,
  options: TaskOptions,
  nodes: readonly NodeClient[],
  limit: CommandLimit,
): Promise<void> {
  let last: Rollout | undefined;
  using progress = new Progress(env.stderr, () => last?.waitsFor || 'the roll-out');
  const items = options.output === 'table' ? undefined : openItems(env.stdout, options.output, true);
  try {
    for await (const rollout of followRollout(nodes, limit.signal)) {
      progress.pause();
      if (items !== undefined) await items.add(rollout === undefined ? null : text.rolloutDocument(rollout));
      else if (rollout === undefined) env.stdout.write('no roll-out has begun yet\n');
      else if (last === undefined) writeRollout(env, rollout);
      else for (const line of text.changeLines(last, rollout)) env.stdout.write(`${escapeLine(line)}\n`);
      last = rollout;
    }
  } catch (error) {
    if (env.signal.aborted) throw new CancelledFault('nothing was changed, and the roll-out goes on');
    throw limit.isOver ? limit.fault : error;
  }
  items?.end();
  const next = last && text.nextStep(last);
  if (next !== undefined) env.stderr.write(`${next}\n`);
}

function writeRollout(env: CliEnvironment, rollout: Rollout): void {
  env.stdout.write(`${escapeLine(text.rolloutLine(rollout))}\n`);
  const table = new Table(env.stdout, { header: text.rolloutHeader, headerWithoutRows: true });
  for (const node of rollout.nodes) table.add(text.rolloutRow(node));
  table.end();
}

function writePreview(
  env: CliEnvironment,
  preview: Parameters<typeof text.previewDocument>[0],
  planned: Rollout | undefined,
): void {
  const table = new Table(env.stdout, { header: text.previewHeader, headerWithoutRows: true });
  for (const row of preview) table.add(text.previewRow(row));
  table.end();
  if (planned !== undefined && preview.some(({ refusedBy }) => refusedBy !== ''))
    env.stderr.write(
      'while the first node is refused, the roll-out does not begin; for the others it waits\n',
    );
}

/** Nodes of upstream and of older versions do not have the service. */
function namedFault(error: unknown): never {
  if (faultFrom(error).kind !== 'unimplemented') throw error;
  throw new Fault(
    'unimplemented',
    'this cluster has no upgrade of all nodes: name the nodes with -n, one after the other',
    {
      cause: error,
    },
  );
}
