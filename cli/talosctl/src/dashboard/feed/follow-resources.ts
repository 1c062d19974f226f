import { Fault } from '@nodewright/fault';
import type { EncodedSpec, KindRef, Resource, ResourceEvent } from '@nodewright/state';
import { encodedStateOf, stateOf } from '../../get/get-resources.ts';
import { listDefinitions } from '../../get/resolve-kind.ts';
import { Batch, type FeedContext, keepTrying } from './feed-context.ts';

/** The kinds of a node, read once. */
export async function readKinds({ node, signal, emit }: FeedContext): Promise<void> {
  const done = new AbortController();
  const kinds = async () => {
    const definitions = await listDefinitions(stateOf(node), signal);
    emit({ kind: 'kinds', kinds: definitions.map(({ spec }) => spec) });
    done.abort();
  };
  await keepTrying(AbortSignal.any([signal, done.signal]), kinds, (message) =>
    emit({ kind: 'browse-problem', message }),
  );
}

/** Follows all resources of a kind. */
export async function followResources(
  { node, signal, emit }: FeedContext,
  kind: KindRef<EncodedSpec>,
): Promise<void> {
  const { type } = kind;
  emit({ kind: 'listed', listed: undefined });
  const follow = async () => {
    using watch = await encodedStateOf(node).watchKind(kind, {
      bootstrapContents: true,
      aggregated: true,
      signal,
    });
    const resources = new Map<string, Resource<EncodedSpec>>();
    let isKnown = false;
    const batch = new Batch<ResourceEvent<EncodedSpec>>((events) => {
      for (const event of events) take(resources, event);
      isKnown ||= events.some((event) => event.kind === 'bootstrapped');
      if (isKnown) emit({ kind: 'listed', listed: { type, resources: sorted(resources) } });
    });
    for await (const events of watch) {
      const failed = events.find((event) => event.kind === 'errored');
      batch.add(events);
      if (failed !== undefined) throw new Fault('unavailable', failed.message);
    }
  };
  await keepTrying(signal, follow, (message) => emit({ kind: 'browse-problem', message }));
}

function take(resources: Map<string, Resource<EncodedSpec>>, event: ResourceEvent<EncodedSpec>): void {
  if (event.kind === 'created' || event.kind === 'updated') {
    resources.set(event.resource.metadata.id, event.resource);
  } else if (event.kind === 'destroyed') resources.delete(event.resource.metadata.id);
}

const sorted = (resources: ReadonlyMap<string, Resource<EncodedSpec>>) =>
  [...resources].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, resource]) => resource);
