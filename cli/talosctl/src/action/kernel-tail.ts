import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClient } from '@nodewright/client';

export interface KernelTail {
  /** Stops reading and resolves to the kernel messages that were received. */
  end(): Promise<string>;
}

/** How much of a node's kernel log is kept, in characters. */
const mostCharacters = 256 * 1024;
const retryMs = 1000;

/** Follows the kernel log of a node, even over a reboot. Source: Talos v1.14: lifecycle commands, debug. */
export function openKernelTail(node: NodeClient): KernelTail {
  const stop = new AbortController();
  const { signal } = stop;
  let text = '';
  const follow = async () => {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        const messages = node.machine.dmesg({ follow: true, tail: isFirst }, { signal });
        for await (const { bytes } of messages)
          text = (text + Buffer.from(bytes).toString()).slice(-mostCharacters);
      } catch {
        // The node is rebooting, or the caller may not read its log: keep the messages received so far.
      }
      await sleep(retryMs, undefined, { signal }).catch(() => {});
    }
  };
  const following = follow();
  return {
    async end() {
      stop.abort();
      await following;
      return text;
    },
  };
}
