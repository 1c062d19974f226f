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

/** The node's resources, of which there are none yet but the kinds and namespaces that there can be. */
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

/** Whether clients may know of it: controllers use a kind among themselves that is not registered. */
export const isRegisteredKind = (type: string): boolean => registered.has(type);
