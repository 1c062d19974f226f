import { randomBytes } from 'node:crypto';
import {
  MemoryState,
  namespaces,
  registerKind,
  registerMeta,
  registerNamespace,
  resourceDefinitions,
  type State,
} from '@nodewright/state';
import { nodeKinds, nodeNamespaces } from '@nodewright/state/kinds';
import type { Telemetry } from '@nodewright/telemetry';

/** Creates the node's resource store, which at first holds only the registered kinds and namespaces. */
export async function openNodeState(now: () => number, telemetry: Telemetry): Promise<State> {
  const traceparent = () => telemetry.activeSpan()?.traceparent;
  const state = new MemoryState({ now, cookie: randomBytes(8), traceparent });
  await registerMeta(state);
  for (const [name, description] of Object.entries(nodeNamespaces)) {
    await registerNamespace(state, name, description);
  }
  for (const kind of nodeKinds) await registerKind(state, kind);
  return state;
}

const registered: ReadonlySet<string> = new Set(
  [resourceDefinitions, namespaces, ...nodeKinds].map(({ type }) => type),
);

/** Whether clients may read the kind: kinds that only controllers use are not registered. */
export const isRegisteredKind = (type: string): boolean => registered.has(type);
