import { followLog } from '../../dashboard/feed/follow-log.ts';
import { readLogLine } from '../domain/read-log-line.ts';
import type { PageFeedContext } from './page-feed-context.ts';

/** Of each log, before the page follows it. */
const firstLines = 1000;

/** Follows one log of a node, without the lines about the requests of this program. */
export function followPageLog(context: PageFeedContext, log: string): Promise<void> {
  const { node, session, emit } = context;
  return followLog(
    {
      ...context,
      emit(event) {
        if (event.kind === 'log-opened') emit({ kind: 'log-opened' });
        else if (event.kind === 'log-problem') emit({ kind: 'problem', message: event.message });
        else if (event.kind === 'log-lines') {
          const { lines, ownCount = 0, atMs } = event;
          emit({ kind: 'log-lines', lines: lines.map((line) => readLogLine(line, atMs)), ownCount });
        }
      },
    },
    { kind: 'log', key: log, node: node.name, log, lines: firstLines, withOwn: false },
    session,
  );
}
