import { folderLabel } from '../../domain/owned-stack.ts';
import type { ContainerEvent } from '../../domain/plan-healing.ts';
import type { Engine } from '../../engine/index.ts';

/**
 * The actions of engine events that matter here. All others, such as those of health checks, are filtered
 * out.
 */
const kinds = { start: 'started', die: 'died', stop: 'stopped', destroy: 'removed' } as const;

/**
 * Yields the events of the containers of the cluster in `folder`, starting at `sinceMs`. Ends when the
 * connection to the engine is lost or the signal is aborted.
 */
export async function* watchEvents(
  engine: Engine,
  folder: string,
  sinceMs: number,
  signal: AbortSignal,
): AsyncGenerator<ContainerEvent> {
  const words = [
    'events',
    ...['--since', (sinceMs / 1000).toFixed(3), '--format', '{{json .}}'],
    ...['--filter', 'type=container', '--filter', `label=${folderLabel}=${folder}`],
    ...Object.keys(kinds).flatMap((kind) => ['--filter', `event=${kind}`]),
  ];
  // A missing `docker` command looks the same as an unreachable engine.
  for await (const line of engine.lines(words, signal)) {
    const event = eventFromLine(line);
    if (event !== undefined) yield event;
  }
}

interface EngineEvent {
  readonly Action?: string;
  readonly timeNano?: number;
  readonly Actor?: { readonly ID?: string; readonly Attributes?: Readonly<Record<string, string>> };
}

/** Returns `undefined` for any other event, and for containers of commands that are run by hand. */
export function eventFromLine(line: string): ContainerEvent | undefined {
  let event: EngineEvent | null;
  try {
    event = JSON.parse(line) as EngineEvent | null;
  } catch {
    return undefined;
  }
  const kind = kinds[event?.Action as keyof typeof kinds];
  const { ID: id, Attributes: labels = {} } = event?.Actor ?? {};
  const service = labels['com.docker.compose.service'];
  const isOnce = labels['com.docker.compose.oneoff'] === 'True';
  if (kind === undefined || id === undefined || service === undefined || isOnce) return undefined;
  const common = { id, service, atMs: Math.floor((event?.timeNano ?? 0) / 1e6) };
  if (kind !== 'died' || labels.exitCode === undefined) return { kind, ...common };
  return { kind, exitCode: Number(labels.exitCode), ...common };
}
