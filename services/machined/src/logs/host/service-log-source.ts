import { ChangeSignal } from '@nodewright/async';
import { LogLines } from '../domain/log-lines.ts';
import { encodeLogRecord } from '../domain/log-record.ts';
import type { LogOffset } from '../domain/log-ring.ts';
import { parseLogLine } from '../domain/parse-log-line.ts';
import type { LogStore, ServiceLog } from './log-store.ts';
import type { PendingRecord, RecordSource } from './record-source.ts';

/** How far each log has been delivered, to whom ever. */
export type LogPositions = Map<string, LogOffset>;

interface Lines {
  readonly id: string;
  readonly lines: LogLines;
}

/** So many lines of a log, then it is the next one's turn. */
const turnLines = 64;

/**
 * The lines of all logs of a store as records, from where `positions` says on. What of a log was overwritten before it
 * was read is told in a line.
 *
 * @param now Unix ms.
 */
export function openServiceLogSource(
  store: LogStore,
  positions: LogPositions,
  extraTags: Readonly<Record<string, string>>,
  now: () => number,
): RecordSource {
  const written = new ChangeSignal();
  const logs: Lines[] = [];
  /** Whether a log was written to since all of them were read to their ends. */
  let isMore = true;
  let turn = 0;
  const notify = () => {
    isMore = true;
    written.notify();
  };
  const scope = new DisposableStack();
  const take = (log: ServiceLog) => {
    logs.push({ id: log.id, lines: new LogLines(log.ring, positions.get(log.id) ?? 0) });
    scope.use(log.onWrite(notify));
    notify();
  };
  scope.use(store.onOpen(take));

  const recordFrom = ({ id, lines }: Lines, line: string): PendingRecord | undefined => {
    const event = parseLogLine(line, now());
    const text = event && encodeLogRecord(event, { service: id, extraTags });
    if (text === undefined) return undefined;
    const offset = lines.offset;
    return { text, delivered: () => positions.set(id, Math.max(offset, positions.get(id) ?? 0)) };
  };
  const nextOf = (read: (lines: LogLines) => string | undefined): PendingRecord | undefined => {
    for (let tried = 0; tried < logs.length; ) {
      const current = logs[Math.floor(turn / turnLines) % logs.length] as Lines;
      const line = read(current.lines);
      if (line === undefined) {
        tried += 1;
        turn = (Math.floor(turn / turnLines) + 1) * turnLines;
        continue;
      }
      turn += 1;
      tried = 0;
      const record = recordFrom(current, line);
      if (record !== undefined) return record;
    }
    return undefined;
  };

  return {
    next() {
      if (!isMore) return undefined;
      const record = nextOf((lines) => lines.next());
      if (record === undefined) isMore = false;
      return record;
    },
    last: () => nextOf((lines) => lines.last()),
    async wait(signal) {
      if (!isMore) await written.next(signal);
    },
    [Symbol.dispose]: () => scope.dispose(),
  };
}
