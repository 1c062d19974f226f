import type { EventsRequest } from '@nodewright/contract/gen/machine/machine.ts';
import { InvalidArgumentError } from 'commander';
import type { CliEnvironment, CommandModule } from '../command-module.ts';
import { readEvent } from '../event-text.ts';
import { parseGoDuration } from '../go-duration.ts';
import { NodeErrors } from '../node-errors.ts';
import { addNodeOptions, addOutputOption, type NodeOptions, type OutputOptions } from '../node-options.ts';
import { openClient } from '../open-client.ts';
import { documentError, ListDocument } from '../render/document.ts';
import { formatTable } from '../render/table.ts';
import { writeSlowly } from '../write-slowly.ts';

interface EventsOptions extends NodeOptions, OutputOptions {
  readonly tail: number;
  readonly duration?: bigint;
  readonly since?: string;
  readonly actorId?: string;
}

const nanosInSecond = 1_000_000_000n;

function parseTail(text: string): number {
  if (/^[+-]?\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number of events.');
}

/** Whole seconds: nodes know their events no finer. */
function parseSeconds(text: string): bigint {
  const nanos = parseGoDuration(text);
  if (nanos < nanosInSecond) throw new InvalidArgumentError('It must be one second or more.');
  if (nanos / nanosInSecond >= 2n ** 31n) throw new InvalidArgumentError('It must be less than 68 years.');
  return nanos / nanosInSecond;
}

function eventsRequest({ tail, duration = 0n, since = '', actorId = '' }: EventsOptions): EventsRequest {
  return { tailEvents: tail, tailSeconds: Number(duration), tailId: since, withActorId: actorId };
}

async function printEvents(env: CliEnvironment, options: EventsOptions): Promise<void> {
  using client = await openClient(env, options);
  const errors = new NodeErrors(env);
  const document = options.output === 'table' ? undefined : new ListDocument(env.stdout, options.output);
  const request = eventsRequest(options);
  if (document === undefined) {
    await writeSlowly(env.stdout, lines([['NODE', 'ID', 'EVENT', 'ACTOR', 'SOURCE', 'MESSAGE']]));
  }
  const events = client.fanOutStream((node, signal) => node.machine.events(request, { signal }), {
    signal: env.signal,
  });
  for await (const { node, value, fault } of events) {
    if (fault !== undefined) {
      // Whoever stops watching has seen what they wanted.
      if (fault.kind === 'cancelled' && env.signal.aborted) continue;
      errors.add(node, fault);
      await document?.add({ node, error: documentError(fault) });
      continue;
    }
    const { id, actorId, data } = value;
    const event = readEvent(data);
    if (event === undefined) continue;
    const { type, source, message, fields } = event;
    if (document !== undefined) await document.add({ node, id, actorId, type, event: fields });
    else
      await writeSlowly(
        env.stdout,
        lines([
          [node, id, data?.typeUrl ?? ''],
          [actorId, source, message],
        ]),
      );
  }
  document?.end();
  errors.end();
}

function lines(rows: readonly (readonly string[])[]): string {
  return formatTable(rows)
    .map((line) => `${line}\n`)
    .join('');
}

/** `talosctl events`. Source: Talos v1.14: events. */
export const eventsCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command))
      .option('--tail <events>', 'number of past events to begin with (-1: all that are kept)', parseTail, 0)
      .option('--duration <duration>', 'begin with the events of this last time, such as 10m', parseSeconds)
      .option('--since <id>', 'begin with the event after the one with this id')
      .option('--actor-id <id>', 'only events that this call has caused')
      .action((options: EventsOptions) => printEvents(env, options));
  },
};
