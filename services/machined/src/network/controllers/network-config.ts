import type { KindRef } from '@nodewright/state';

/** The specs of a kind layer by layer, as they are before they come to one. */
export function inLayers<S>({ type }: KindRef<S>): KindRef<S> {
  return { namespace: 'network-config', type };
}
