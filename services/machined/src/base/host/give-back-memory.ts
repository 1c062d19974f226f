import { setFlagsFromString } from 'node:v8';
import { trimHeap } from '@nodewright/daemon';

/**
 * For so long no service has changed: what starting them took is not needed any more. Longer than the 5 s after which
 * the first health checks tell that they are up.
 */
const settleMs = 6000;
/** A service that comes and goes all the time is no reason to collect all the time. */
const leastPauseMs = 20_000;

/** How often code is called before V8 optimises it, once the node has started. */
const hotAfter = ['--invocation-count-for-maglev=2000', '--invocation-count-for-turbofan=10000'];

/**
 * Gives back what starting has left behind whenever the services have come to rest, which may be long after the start:
 * etcd of a control plane waits for its cluster. From V8 that is 1 to 2 MB, and 6 to 7 from the C library, which it would
 * keep for later.
 *
 * @param onChange calls the listener whenever a service has changed.
 */
export function giveBackMemoryAtRest(onChange: (listener: () => void) => Disposable): Disposable {
  let lastMs = Number.NEGATIVE_INFINITY;
  const giveBack = async () => {
    lastMs = performance.now();
    // Whoever starts machined may have told V8 to leave the code of its start alone: what is hot now is work.
    for (const flag of hotAfter) setFlagsFromString(flag);
    await trimHeap();
  };
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    clearTimeout(timer);
    const restMs = Math.max(settleMs, lastMs + leastPauseMs - performance.now());
    timer = setTimeout(() => void giveBack().catch(() => {}), restMs);
    timer.unref();
  };
  const listener = onChange(wait);
  wait();
  return {
    [Symbol.dispose]() {
      clearTimeout(timer);
      listener[Symbol.dispose]();
    },
  };
}
