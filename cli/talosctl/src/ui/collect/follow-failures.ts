import { followLog } from '../../dashboard/feed/follow-log.ts';
import { readFailure } from '../domain/read-failure.ts';
import type { PageFeedContext } from './page-feed-context.ts';

/** Of the log, before the page follows it. */
const firstLines = 2000;

/** Follows the failures of controllers in the log of a node. No resource has them. */
export function followFailures(context: PageFeedContext): Promise<void> {
  const { node, emit } = context;
  return followLog(
    {
      ...context,
      emit(event) {
        if (event.kind === 'log-problem') emit({ kind: 'problem', message: event.message });
        if (event.kind !== 'log-lines') return;
        const failures = event.lines.flatMap((line) => readFailure(line) ?? []);
        if (failures.length > 0) emit({ kind: 'failures', failures });
      },
    },
    { kind: 'log', key: 'machined', node: node.name, log: 'machined', lines: firstLines, withOwn: true },
    undefined,
  );
}
