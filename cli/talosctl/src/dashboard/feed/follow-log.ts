import { ContainerDriver } from '@nodewright/contract/gen/common/common.ts';
import { LineSplitter } from '../../values/line-splitter.ts';
import { kernelLog } from '../model/log.ts';
import type { Subscription } from '../model/subscriptions.ts';
import { Batch, type FeedContext, keepTrying } from './feed-context.ts';

/**
 * Follows one log of a node, beginning with its last lines.
 *
 * @param session leaves out the lines with this text, which are about the dashboard's own requests
 */
export function followLog(
  { node, signal, emit, now }: FeedContext,
  { log, lines: tailLines }: Extract<Subscription, { readonly kind: 'log' }>,
  session: string | undefined,
): Promise<void> {
  const open = () =>
    log === kernelLog
      ? node.machine.dmesg({ follow: true, tail: false }, { signal })
      : node.machine.logs(
          {
            ...{ id: log, namespace: 'system', driver: ContainerDriver.CONTAINERD },
            ...{ follow: true, tailLines },
          },
          { signal },
        );
  return keepTrying(
    signal,
    async () => {
      const splitter = new LineSplitter();
      const batch = new Batch<string>((all) => {
        const lines = session === undefined ? all : all.filter((line) => !line.includes(session));
        const ownCount = all.length - lines.length;
        emit({ kind: 'log-lines', log, lines, ownCount, atMs: now().getTime() });
      });
      emit({ kind: 'log-opened', log });
      try {
        for await (const { bytes } of open()) batch.add(splitter.push(bytes));
        batch.add(splitter.end());
      } finally {
        batch.flush();
      }
    },
    (message, isFinal) => emit({ kind: 'log-problem', log, message, isFinal }),
  );
}
