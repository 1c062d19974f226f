import type { NodeEvent } from './node-event.ts';

export interface WipeFacts {
  /** The kernel's name of the device. */
  readonly device: string;
  readonly found: string;
  readonly address: string | undefined;
}

/** The event of a block device that a call wipes. Upstream has no event for that, so it is a task. */
export function wipeEvent({ device, found, address }: WipeFacts): NodeEvent {
  const by = address === undefined ? 'a caller with a certificate' : `${address} without a certificate`;
  return { kind: 'task', task: `wipe ${device} (${found}) for ${by}`, action: 'start' };
}
