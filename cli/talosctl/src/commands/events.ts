import type { EventsRequest } from '@nodewright/contract/gen/machine/machine.ts';
import { InvalidArgumentError } from 'commander';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { readEvent } from '../nodes/event-text.ts';
import {
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { reportStream } from '../nodes/report-stream.ts';
import { formatTable } from '../render/table.ts';
import { eventTimeText } from '../values/event-time.ts';
import { parseGoDuration } from '../values/go-duration.ts';

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

/** Parses a duration into whole seconds, the unit of the request. */
function parseSeconds(text: string): bigint {
  const nanos = parseGoDuration(text);
  if (nanos < nanosInSecond) throw new InvalidArgumentError('It must be one second or more.');
  if (nanos / nanosInSecond >= 2n ** 31n) throw new InvalidArgumentError('It must be less than 68 years.');
  return nanos / nanosInSecond;
}

function eventsRequest({ tail, duration = 0n, since = '', actorId = '' }: EventsOptions): EventsRequest {
  return { tailEvents: tail, tailSeconds: Number(duration), tailId: since, withActorId: actorId };
}

function printEvents(env: CliEnvironment, options: EventsOptions): Promise<void> {
  const request = eventsRequest(options);
  const isTerminal = env.stdout.isTTY === true;
  return reportStream(env, options, {
    isEndless: true,
    call: (node, signal) => node.machine.events(request, { signal }),
    head: lines([['NODE', 'ID', 'EVENT', 'TIME', 'ACTOR', 'SOURCE', 'MESSAGE']], isTerminal),
    text(node, { id, actorId, data }) {
      const event = readEvent(data);
      if (event === undefined) return '';
      const rows = [
        [node, id, data?.typeUrl ?? '', ...[eventTimeText(id) ?? []].flat()],
        [actorId, event.source, event.message],
      ];
      return lines(rows, isTerminal);
    },
    documents({ id, actorId, data }) {
      const event = readEvent(data);
      return event === undefined
        ? []
        : [{ id, time: eventTimeText(id) ?? null, actorId, type: event.type, event: event.fields }];
    },
  });
}

function lines(rows: readonly (readonly string[])[], isTerminal: boolean): string {
  return formatTable(rows, isTerminal)
    .map((line) => `${line}\n`)
    .join('');
}

/** `talosctl events`. Source: Talos v1.14: events. */
export const eventsCommand: CommandModule = {
  define(command, env) {
    addOutputOption(addNodeOptions(command), ' (json: one object per line, yaml: one document per event)')
      .option(
        '--tail <events>',
        'number of past events to print first (-1: all that the node keeps)',
        parseTail,
        0,
      )
      .option(
        '--duration <duration>',
        'print the events of this past period first, such as 10m',
        parseSeconds,
      )
      .option('--since <id>', 'start after the event with this id')
      .option('--actor-id <id>', 'print only events of the action with this id')
      .action((options: EventsOptions) => printEvents(env, options));
  },
};
