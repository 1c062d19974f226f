import { ChangeSignal } from '@nodewright/async';
import { LogLines, type LogOffset, type LogStore, type ServiceLog } from '@nodewright/services/logs';
import { encodeLogRecord } from '../domain/log-record.ts';
import { parseLogLine } from '../domain/parse-log-line.ts';
import type { PendingRecord, RecordSource } from './record-source.ts';

/** The offset up to which each log has been delivered to any destination. */
export type LogPositions = Map<string, LogOffset>;

interface Lines {
  readonly id: string;
  readonly lines: LogLines;
}

/** After this number of lines the source continues with the next log. */
const turnLines = 64;

/**
 * Opens the lines of all logs of a store as records, from `positions` on. Bytes that were overwritten before
 * they were read are reported in a line of their log.
 *
 * @param now returns Unix ms.
 */
export function openServiceLogSource(
  store: LogStore,
  positions: LogPositions,
  extraTags: Readonly<Record<string, string>>,
  now: () => number,
): RecordSource {
  const written = new ChangeSignal();
  const logs: Lines[] = [];
  /** Whether a log may have unread lines: a log was opened or written since all logs were read to their ends. */
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
