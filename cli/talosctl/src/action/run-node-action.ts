import type { NodeClient, TalosClient } from '@nodewright/client';
import { nodeNameInLine } from '@nodewright/client/node-name';
import { Fault, faultFrom } from '@nodewright/fault';
import { CommandLimit } from '../context/command-limit.ts';
import type { CliEnvironment } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import { showWait } from '../context/progress.ts';
import { confirmEffect, type Effect, typedConfirmation } from '../nodes/ask-question.ts';
import { checkServerVersions } from '../nodes/check-server-versions.ts';
import { NodeErrors } from '../nodes/node-errors.ts';
import { openClient } from '../nodes/open-client.ts';
import { reportNodes } from '../nodes/report-nodes.ts';
import { clusterName } from '../nodes/talosconfig-of.ts';
import { escapeEntry, escapeLine } from '../output/escape-text.ts';
import { documentError, writeDocument } from '../render/document.ts';
import { plainError } from '../render/plain-error.ts';
import { openActionDisplay } from './action-display.ts';
import type { ActionOptions } from './action-options.ts';
import { awaitEndpoints } from './await-endpoints.ts';
import type { NodeDrain } from './drain-nodes.ts';
import { openKernelTail } from './kernel-tail.ts';
import { MeetingPoint } from './meeting-point.ts';
import type { MachineAction } from './node-actions.ts';
import { callerRolesOf, type ReadEffect, readEffect } from './read-effect.ts';
import { reportEffect } from './report-effect.ts';
import { trackNode } from './track-node.ts';

export interface ActionCommand extends MachineAction {
  /** The command as the user typed it. */
  readonly verb: string;
  /** Whether nodes lose data. Then the user must type their names, or pass `--yes` if etcd loses a voter. */
  readonly destroys?: boolean;
  /** Drains the Kubernetes nodes first. The command waits for the action then, also with `--no-wait`. */
  readonly openDrain?: ((client: TalosClient, signal: AbortSignal) => NodeDrain) | undefined;
  /**
   * What is done on all nodes first. When it fails on one of them, nothing is drained and the action is not started.
   *
   * @param note gets lines for the user
   * @returns facts about the node for the document
   */
  readonly prepare?: (node: NodeClient, note: (line: string) => void, signal: AbortSignal) => Promise<object>;
  /** The preparation is all. */
  readonly onlyPrepares?: boolean;
  /** Why the nodes cannot be asked for it as the user wants it. */
  readonly refusal?: string;
  /** Another command, if these nodes need one. */
  readonly instead?: (client: TalosClient, signal: AbortSignal) => Promise<ActionCommand | undefined>;
  /** More sentences about the effect. It is called only when the user is told the effect. */
  readonly moreLines?: (client: TalosClient, signal: AbortSignal) => Promise<readonly string[]>;
}

/** The result of the action on one node. */
interface Outcome {
  readonly node: string;
  readonly actorId?: string;
  readonly fault?: Fault;
  readonly seconds: number;
}

/**
 * Describes the action and asks for confirmation, then starts it on all targets in parallel. Unless `--no-wait` is set,
 * it shows the progress and waits for every target. The timeout begins with the command, and stands still while it asks.
 *
 * @throws ReportedFailure when a node failed or timed out
 */
export async function runNodeAction(
  env: CliEnvironment,
  options: ActionOptions,
  given: ActionCommand,
): Promise<void> {
  using limit = new CommandLimit(options.timeout, env.signal);
  using client = await openClient(env, options);
  await checkServerVersions(env, client, limit);
  const command = (given.instead && (await limit.guard(given.instead(client, limit.signal)))) ?? given;
  if (command.refusal !== undefined) throw new UsageFault(command.refusal);
  const run = { env, options, client, command, limit };
  if (options.dryRun) return reportEffect(env, options, await readWhole(run));
  await confirmAction(run);
  const { action, openDrain, prepare } = command;
  const prepared = prepare && (await prepareNodes(run, prepare));
  if (prepared !== undefined && (command.onlyPrepares || prepared.some(({ fault }) => fault !== undefined)))
    return reportPrepared(run, prepared);

  if (!options.wait && !options.debug && openDrain === undefined) {
    return reportNodes(env, options, {
      call: (node) => limit.guard(action.start(node, limit.signal)),
      ...{ header: [], headerWithoutRows: false, flushWhenIdle: false, rows: () => [] },
      document: (actorId) => ({ actorId }),
    });
  }
  const outcomes = await trackNodes(run);
  if (options.output !== 'table') {
    await writeDocument(
      env.stdout,
      options.output,
      outcomes.map(({ fault, seconds, ...facts }) => ({
        ...facts,
        ...prepared?.find(({ node }) => node === facts.node)?.facts,
        ...(fault === undefined ? { done: true, seconds } : { error: documentError(fault) }),
      })),
    );
  }
  const errors = new NodeErrors(env);
  for (const { node, fault } of outcomes) if (fault !== undefined) errors.add(node, fault);
  errors.end();
}

/** The result of the preparation of one node. */
interface Prepared {
  readonly node: string;
  readonly facts?: object;
  readonly fault?: Fault;
}

async function prepareNodes(
  { env, client, limit }: ActionRun,
  prepare: NonNullable<ActionCommand['prepare']>,
): Promise<Prepared[]> {
  return Promise.all(
    client.targets.map(async (node): Promise<Prepared> => {
      const name = nodeNameInLine(node.name);
      const note = (line: string) => void env.stderr.write(`${name}: ${escapeLine(line)}\n`);
      try {
        return { node: node.name, facts: await limit.guard(prepare(node, note, limit.signal)) };
      } catch (error) {
        return { node: node.name, fault: faultFrom(error) };
      }
    }),
  );
}

async function reportPrepared(
  { env, options: { output } }: ActionRun,
  prepared: readonly Prepared[],
): Promise<void> {
  if (output !== 'table')
    await writeDocument(
      env.stdout,
      output,
      prepared.map(({ node, facts, fault }) => ({
        ...{ node, ...facts },
        ...(fault === undefined ? { prepared: true } : { error: documentError(fault) }),
      })),
    );
  const errors = new NodeErrors(env);
  for (const { node, fault } of prepared) if (fault !== undefined) errors.add(node, fault);
  errors.end();
}

/** One run of an action. */
interface ActionRun {
  readonly env: CliEnvironment;
  readonly options: ActionOptions;
  readonly client: TalosClient;
  readonly command: ActionCommand;
  readonly limit: CommandLimit;
}

/** The effect on all targets. It shows what it waits for. */
async function readWhole({ env, options, client, command, limit }: ActionRun): Promise<ReadEffect> {
  const { planned, moreLines = async () => [] } = command;
  const { signal } = limit;
  const names = client.targets.map(({ name }) => name).join(', ');
  const callerRoles = await callerRolesOf(env, options);
  const asked = Promise.all([
    readEffect(planned, { client, nodes: client.targets, callerRoles, signal }),
    moreLines(client, signal),
  ]);
  const [read, more] = await showWait(env.stderr, names, limit.guard(asked));
  return { ...read, lines: [...read.lines, ...more.map((line) => `  ${line}`)] };
}

async function confirmAction(run: ActionRun): Promise<void> {
  const { env, options, client, command, limit } = run;
  const { verb, destroys = false } = command;
  const nodes = client.targets.map(({ name }) => name);
  const isAsked = env.isInteractive || (destroys && nodes.length === 1);
  if (options.yes || !isAsked) return confirmEffect(env, { verb, nodes, lines: [] }, options);
  const { lines, effect } = await readWhole(run);
  const confirm = (effect: Effect) => limit.whileStopped(() => confirmEffect(env, effect, options));
  if (!destroys) return confirm({ verb, nodes, lines });
  const [, ...etcd] = lines.map((line) => line.trim());
  const risk = effect.losesVote ? etcd.join(', ') : undefined;
  const typed = typedConfirmation(nodes, await clusterName(env, options));
  return confirm({ verb, nodes, lines, risk, typed });
}

async function trackNodes({ env, options, client, command, limit }: ActionRun): Promise<Outcome[]> {
  const { debug = false, progress } = options;
  const { action, openDrain } = command;
  const { signal } = limit;
  const nodes = client.targets;
  const names = nodes.map(({ name }) => name);
  const isPlain = progress === 'plain';
  const tails = debug ? nodes.map((node) => openKernelTail(node)) : [];
  using display = openActionDisplay(env.stderr, names, { isPlain, environment: env.environment });
  // Calls to one node may pass through another, so no action starts before all nodes are prepared.
  const meeting = new MeetingPoint(nodes.length);
  const drain = openDrain?.(client, signal);
  const track = async (node: NodeClient): Promise<Outcome> => {
    const { arrive, leave } = meeting.place();
    const started = performance.now();
    const seconds = () => Math.round(performance.now() - started) / 1000;
    const onProgress = (message: string) => display.update(node.name, message);
    const onReady = async () => {
      await drain?.before(node, onProgress);
      await arrive();
    };
    try {
      const actorId = await trackNode({ node, action, onProgress, signal, onReady });
      await drain?.after(node, onProgress);
      if (command.planned.kind === 'reboot') await awaitEndpoints(client, node, signal);
      display.update(node.name, 'done', 'done');
      return { node: node.name, actorId, seconds: seconds() };
    } catch (error) {
      leave();
      await drain?.giveUp(node, onProgress);
      const fault = limit.isOver
        ? new Fault('deadline-exceeded', `the action was not done within ${limit.text}`)
        : faultFrom(error);
      display.update(node.name, `error: ${plainError(fault.message)}`, 'failed');
      return { node: node.name, fault, seconds: seconds() };
    }
  };
  const outcomes = await Promise.all(nodes.map(track));
  display[Symbol.dispose]();
  for (const [index, tail] of tails.entries()) {
    const { node = '', fault } = outcomes[index] ?? {};
    const text = await tail.end();
    if (fault !== undefined && text !== '')
      env.stderr.write(`kernel log of ${node}:\n    ${escapeEntry(text)}\n`);
  }
  return outcomes;
}
