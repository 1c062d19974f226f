import { allServices, emptyLog, type LogLine, type LogModel } from './log.ts';
import { type DashboardModel, type NodeModel, serviceNames, shownNode, shownNodes } from './model.ts';

/** One of the logs on the screen. */
export interface ShownLog {
  readonly node: NodeModel;
  /** The name of its service, or `kernel`. */
  readonly name: string;
  readonly log: LogModel;
}

/** So many logs are followed at most: each of them is a call that stays open. */
const mostLogs = 128;

/** The logs on the screen: one, those of all services, or either of all nodes. */
export function shownLogs(model: DashboardModel): readonly ShownLog[] {
  const isEverywhere = model.screen === 'logs' && model.everywhere.logs;
  const nodes = isEverywhere ? shownNodes(model) : [shownNode(model)];
  const logs = nodes.flatMap((node) =>
    (model.log === allServices ? serviceNames(node) : [model.log]).map((name) => ({
      ...{ node, name },
      log: node.logs[name] ?? emptyLog,
    })),
  );
  return logs.slice(0, mostLogs);
}

export interface LogSpan {
  /** Counts all lines that arrived. */
  readonly count: number;
  /** The number of the first line that is kept. */
  readonly first: number;
}

/** The lines of the logs together, counted as those of one log. */
export function spanOf(logs: readonly ShownLog[]): LogSpan {
  const count = logs.reduce((sum, { log }) => sum + log.count, 0);
  return { count, first: count - logs.reduce((sum, { log }) => sum + log.lines.length, 0) };
}

/** The lines of the logs, merged by time, newest first. */
export function* newestFirst(logs: readonly ShownLog[]): Generator<{ line: LogLine; from: ShownLog }> {
  const ends = logs.map(({ log }) => log.lines.length - 1);
  for (;;) {
    let newest = -1;
    for (const [at, end] of ends.entries()) {
      if (end < 0) continue;
      // The last of two logs with the same time comes last on the screen, so that the order is stable.
      if (newest < 0 || timeAt(logs, at, end) >= timeAt(logs, newest, ends[newest] as number)) newest = at;
    }
    const from = logs[newest];
    const line = from?.log.lines[ends[newest] as number];
    if (from === undefined || line === undefined) return;
    (ends[newest] as number) -= 1;
    yield { line, from };
  }
}

const timeAt = (logs: readonly ShownLog[], at: number, end: number): number =>
  logs[at]?.log.lines[end]?.atMs ?? 0;
