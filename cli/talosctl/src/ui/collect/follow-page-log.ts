import { ContainerDriver } from '@nodewright/contract/gen/common/common.ts';
import { Batch, keepTrying } from '../../dashboard/feed/feed-context.ts';
import { kernelLog } from '../../dashboard/model/log.ts';
import { LineSplitter } from '../../line-splitter.ts';
import { readLogLine } from '../domain/read-log-line.ts';
import type { PageFeedContext } from './page-feed-context.ts';

/** Of each log, before the page follows it. */
const firstLines = 1000;

/** Follows one log of a node, without the lines about the requests of this program. */
export function followPageLog({ node, signal, emit, session }: PageFeedContext, log: string): Promise<void> {
  const open = () =>
    log === kernelLog
      ? node.machine.dmesg({ follow: true, tail: false }, { signal })
      : node.machine.logs(
          {
            ...{ id: log, namespace: 'system', driver: ContainerDriver.CONTAINERD },
            ...{ follow: true, tailLines: firstLines },
          },
          { signal },
        );
  return keepTrying(
    signal,
    async () => {
      const splitter = new LineSplitter();
      const batch = new Batch<string>((all) => {
        const lines = all.filter((line) => !line.includes(session));
        emit({ kind: 'log-lines', lines: lines.map(readLogLine), ownCount: all.length - lines.length });
      });
      emit({ kind: 'log-opened' });
      try {
        for await (const { bytes } of open()) batch.add(splitter.push(bytes));
        batch.add(splitter.end());
      } finally {
        batch.flush();
      }
    },
    (message) => emit({ kind: 'problem', message }),
  );
}
