import { setFlagsFromString } from 'node:v8';
import { trimHeap } from '@nodewright/daemon';

/**
 * Memory that the start needed is returned when no service has changed for this time. It is longer than the
 * 5 s after which the first health checks succeed.
 */
const settleMs = 6000;
/** The minimum time between two garbage collections, for the case that a service restarts all the time. */
const leastPauseMs = 20_000;

/** After this number of calls V8 optimises a function, once the node has started. */
const hotAfter = ['--invocation-count-for-maglev=2000', '--invocation-count-for-turbofan=10000'];

/**
 * Returns unused memory of the start to the system, each time the services have stopped changing. This may be
 * long after the start: etcd of a control plane waits for its cluster. V8 returns 1 to 2 MB. The C library,
 * which would otherwise keep it, returns 6 to 7 MB.
 *
 * @param onChange calls the listener whenever a service has changed.
 */
export function giveBackMemoryWhenIdle(onChange: (listener: () => void) => Disposable): Disposable {
  let lastMs = Number.NEGATIVE_INFINITY;
  const giveBack = async () => {
    lastMs = performance.now();
    // The supervisor starts machined with high limits, so V8 does not optimise code that only the start uses.
    // Code that is called often after the start should be optimised.
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
