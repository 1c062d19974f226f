import { Fault, faultFrom } from '@nodewright/fault';
import type { RuntimeEvent } from '../container-runtime.ts';
import { runtimeEventFrom } from './containerd-events.ts';
import type { NamespaceServices } from './containerd-services.ts';

/** What happens in a namespace. Ends when the signal aborts; throws `unavailable` when containerd goes. */
export async function* watchContainerdEvents(
  events: NamespaceServices['events'],
  namespace: string,
  signal: AbortSignal,
): AsyncGenerator<RuntimeEvent> {
  try {
    for await (const envelope of events.subscribe({ filters: [`namespace==${namespace}`] }, { signal })) {
      const event = runtimeEventFrom(envelope);
      if (event !== undefined) yield event;
    }
  } catch (error) {
    if (signal.aborted) return;
    throw faultFrom(error);
  }
  if (!signal.aborted) throw new Fault('unavailable', 'containerd ended the events');
}
