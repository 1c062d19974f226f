// Only a node that owns its kernel may call this function.
import type { NativeCalls } from '../native-calls.ts';
import { requestChange } from './request-change.ts';

// <linux/rtnetlink.h>, <linux/if.h>
const newLink = 16;
const isUp = 1;

/**
 * Sets a network device up. One that is up already is no error.
 *
 * @throws Fault `unavailable` when the kernel refuses
 */
export function setLinkUp(calls: NativeCalls, linkIndex: number): void {
  const header = Buffer.alloc(16);
  header.writeInt32LE(linkIndex, 4);
  header.writeUInt32LE(isUp, 8);
  header.writeUInt32LE(isUp, 12);
  requestChange(calls, { type: newLink, payload: header, allowed: '' });
}
