import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClient } from '@nodewright/client';

export interface KernelTail {
  /** What the kernel of the node has said meanwhile, as far as it could be heard. */
  end(): Promise<string>;
}

/** What is kept of a node's kernel log, in characters. */
const mostCharacters = 256 * 1024;
const retryMs = 1000;

/** Listens to the kernel of a node, over its restart, until it is ended. Source: Talos v1.14: lifecycle commands, debug. */
export function openKernelTail(node: NodeClient): KernelTail {
  const stop = new AbortController();
  const { signal } = stop;
  let text = '';
  const listen = async () => {
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      try {
        const messages = node.machine.dmesg({ follow: true, tail: isFirst }, { signal });
        for await (const { bytes } of messages)
          text = (text + Buffer.from(bytes).toString()).slice(-mostCharacters);
      } catch {
        // It restarts, or may not be listened to: what was heard is what there is.
      }
      await sleep(retryMs, undefined, { signal }).catch(() => {});
    }
  };
  const listening = listen();
  return {
    async end() {
      stop.abort();
      await listening;
      return text;
    },
  };
}
