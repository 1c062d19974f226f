import { Fault } from '@nodewright/fault';
import { pointerTo } from '@nodewright/state';
import { activeId, configurationKind } from '../../configuration/configuration-kind.ts';
import { keepTrying } from '../../dashboard/feed/feed-context.ts';
import { encodedStateOf } from '../../get/get-resources.ts';
import type { PageFeedContext } from './page-feed-context.ts';

/** Follows the active machine configuration of a node, without its secrets. */
export function followConfiguration(context: PageFeedContext): Promise<void> {
  const { node, signal, emit, configurations } = context;
  return keepTrying(
    signal,
    async () => {
      using watch = await encodedStateOf(node).watch(pointerTo(configurationKind, activeId), { signal });
      for await (const events of watch) {
        for (const event of events) {
          if (event.kind === 'errored') throw new Fault('unavailable', event.message);
          if (event.kind === 'absent' || event.kind === 'destroyed') {
            emit({ kind: 'problem', message: 'the node has no machine configuration' });
          } else if (event.kind === 'created' || event.kind === 'updated') {
            const { documents } = configurations.take(node.name, event.resource);
            emit({ kind: 'configuration', configuration: configurations.shown(documents) });
          }
        }
      }
    },
    (message) => emit({ kind: 'problem', message }),
  );
}
