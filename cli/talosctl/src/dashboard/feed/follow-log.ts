import { ContainerDriver } from '@nodewright/contract/gen/common/common.ts';
import { LineSplitter } from '../../line-splitter.ts';
import { kernelLog } from '../model/log.ts';
import { Batch, type FeedContext, keepTrying } from './feed-context.ts';

const firstLines = 1000;

/** Follows one log of a node, beginning with its last lines. */
export function followLog({ node, signal, emit }: FeedContext, log: string): Promise<void> {
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
      const batch = new Batch<string>((lines) => emit({ kind: 'log-lines', log, lines }));
      emit({ kind: 'log-opened', log });
      try {
        for await (const { bytes } of open()) batch.add(splitter.push(bytes));
        batch.add(splitter.end());
      } finally {
        batch.flush();
      }
    },
    (message) => emit({ kind: 'log-problem', log, message }),
  );
}
