import type { KindRef } from '@nodewright/state';

/** The layers of a kind, before they are merged. */
export function inLayers<S>({ type }: KindRef<S>): KindRef<S> {
  return { namespace: 'network-config', type };
}
