import { randomBytes } from 'node:crypto';
import {
  MemoryState,
  putResource,
  registerKind,
  registerMeta,
  registerNamespace,
  type State,
} from '@nodewright/state';
import { nodeKinds, nodeNamespaces } from '@nodewright/state/kinds';
import { type FixedFacts, fixedResources } from '../domain/node-resources.ts';

/** The node's resources: the kinds and namespaces there are, and what is known of the node from its start on. */
export async function openNodeState(facts: FixedFacts, now: () => number): Promise<State> {
  const state = new MemoryState({ now, cookie: randomBytes(8) });
  await registerMeta(state);
  for (const [name, description] of Object.entries(nodeNamespaces)) {
    await registerNamespace(state, name, description);
  }
  for (const kind of nodeKinds) await registerKind(state, kind);
  for (const { resource, owner } of fixedResources(facts)) await putResource(state, resource, { owner });
  return state;
}
