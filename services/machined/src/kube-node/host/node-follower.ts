import { exponentialDelayMs, pauseBy, type Timers } from '@nodewright/async';
import type { KubeNode, KubeNodes } from '@nodewright/client/kube-nodes';
import { faultFrom } from '@nodewright/fault';
import type { NodeFollower, OpenNodeFollower } from '../controllers/node-status.ts';

/** Connects to an API server with the credentials of the kubelet. The caller disposes of it. */
export type OpenNodes = (signal: AbortSignal) => Promise<KubeNodes & Disposable>;

const pauses = { firstMs: 500, factor: 2, longestMs: 15_000 } as const;

/** A follower that watches the node, and connects again with fresh credentials after each end of the watch. */
export function createOpenFollower(open: OpenNodes, timers: Timers): OpenNodeFollower {
  return ({ onChange, log }): NodeFollower => {
    let current: KubeNode | undefined;
    let following: { readonly key: string; readonly stop: AbortController } | undefined;
    let ended: Promise<unknown> = Promise.resolve();

    async function run(node: string, signal: AbortSignal): Promise<void> {
      let failures = 0;
      while (!signal.aborted) {
        try {
          using nodes = await open(signal);
          for await (const seen of nodes.watch(node)) {
            if (signal.aborted) return;
            failures = 0;
            current = seen;
            onChange();
          }
        } catch (error) {
          if (signal.aborted) return;
          failures += 1;
          log.debug({ node, reason: faultFrom(error).message }, 'the node cannot be watched');
          await pauseBy(timers, exponentialDelayMs(pauses, failures), signal);
        }
      }
    }

    const follower = {
      get current() {
        return current;
      },
      follow(target: { readonly node: string; readonly credentials: string } | undefined) {
        const key = target && JSON.stringify([target.node, target.credentials]);
        if (key === following?.key) return;
        following?.stop.abort();
        following = undefined;
        if (target === undefined || key === undefined) current = undefined;
        else {
          following = { key, stop: new AbortController() };
          ended = Promise.allSettled([ended, run(target.node, following.stop.signal)]);
        }
      },
      async close() {
        follower.follow(undefined);
        await ended;
      },
    };
    return follower;
  };
}
