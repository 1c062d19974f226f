import { DependencyEdgeType } from '@nodewright/contract/gen/inspect/inspect.ts';
import { keepTrying } from '../../dashboard/feed/feed-context.ts';
import { onlyMessage } from '../../nodes/only-message.ts';
import type { GraphEdge } from '../protocol/messages.ts';
import type { PageFeedContext } from './page-feed-context.ts';

const kinds: Readonly<Record<number, GraphEdge['kind']>> = {
  [DependencyEdgeType.OUTPUT_EXCLUSIVE]: 'output',
  [DependencyEdgeType.OUTPUT_SHARED]: 'shared output',
  [DependencyEdgeType.INPUT_STRONG]: 'input',
  [DependencyEdgeType.INPUT_WEAK]: 'weak input',
  [DependencyEdgeType.INPUT_DESTROY_READY]: 'destroy-ready input',
};

/** Reads once which controllers of a node read and write which kinds. */
export async function readGraph({ node, signal, emit }: PageFeedContext): Promise<void> {
  const done = new AbortController();
  await keepTrying(
    AbortSignal.any([signal, done.signal]),
    async () => {
      const { edges } = onlyMessage(await node.inspect.controllerRuntimeDependencies({}, { signal }));
      emit({
        kind: 'graph',
        edges: edges.map(({ controllerName, resourceType, edgeType }) => ({
          ...{ controller: controllerName, resource: resourceType, kind: kinds[edgeType] ?? 'input' },
        })),
      });
      done.abort();
    },
    (message) => emit({ kind: 'problem', message }),
  );
}
