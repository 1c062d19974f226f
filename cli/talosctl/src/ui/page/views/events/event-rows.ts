import { hasFailed, type NodeEvent } from './group-events.ts';

/** A sequence, phase or task from its start to its end, or a single event. */
export interface EventRow {
  readonly id: string;
  /** `sequence`, `phase`, `task`, `service` or another kind of event. */
  readonly kind: string;
  readonly source: string;
  readonly message: string;
  /** How deep it is in the tree. */
  readonly depth: number;
  readonly startMs: number;
  /** Undefined while it runs, and for a single event. */
  readonly endMs?: number | undefined;
  readonly isSpan: boolean;
  readonly hasFailed: boolean;
}

const spanDepths: Readonly<Record<string, number>> = { Sequence: 0, Phase: 1, Task: 2 };

/**
 * The events of one node as a tree: what started and ended is one row, and below it what happened meanwhile.
 *
 * @param events the oldest first
 */
export function eventRows(events: readonly NodeEvent[]): readonly EventRow[] {
  const rows: EventRow[] = [];
  const open = new Map<string, number>();
  let depth = 0;
  for (const event of events) {
    const { id, type, source, message, atMs: startMs = 0 } = event;
    const kind = kindOf(type);
    const spanDepth = spanDepths[type];
    const key = `${type} ${source}`;
    const started = open.get(key);
    const row = started === undefined ? undefined : rows[started];
    if (spanDepth === undefined) {
      rows.push({ id, kind, source, message, depth, startMs, isSpan: false, hasFailed: hasFailed(event) });
    } else if (message === 'START') {
      open.set(key, rows.length);
      rows.push({ id, kind, source, message: '', depth: spanDepth, startMs, isSpan: true, hasFailed: false });
      depth = spanDepth + 1;
    } else if (started !== undefined && row !== undefined) {
      open.delete(key);
      const text = message === 'STOP' ? '' : message;
      rows[started] = { ...row, endMs: startMs, message: text, hasFailed: hasFailed(event) };
      depth = spanDepth;
    } else {
      rows.push({
        id,
        kind,
        source,
        message,
        depth: spanDepth,
        startMs,
        isSpan: false,
        hasFailed: hasFailed(event),
      });
    }
  }
  return rows;
}

/** `ServiceState` becomes `service`. */
function kindOf(type: string): string {
  return type === 'ServiceState' ? 'service' : type.replace(/(?<=.)(?=[A-Z])/g, ' ').toLowerCase();
}
