import { setFlagsFromString } from 'node:v8';
import { systemTimers, type Timers } from '@nodewright/async';

/**
 * The node has started when no service has changed for this time. It is longer than the 5 s after which the first health checks
 * succeed.
 */
const settleMs = 6000;

/** After this number of calls V8 optimises a function, once the node has started. */
const hotAfter = ['--invocation-count-for-maglev=2000', '--invocation-count-for-turbofan=10000'];

/**
 * Has V8 optimise code that is called often, from when the services have stopped changing. This may be long after the start: etcd of a
 * control plane waits for its cluster. The supervisor starts machined with high limits, so that V8 does not optimise code that only the
 * start uses.
 *
 * @param onChange calls the listener whenever a service has changed.
 */
export function optimiseWhenSettled(
  onChange: (listener: () => void) => Disposable,
  timers: Pick<Timers, 'after'> = systemTimers,
  setFlag: (flag: string) => void = setFlagsFromString,
): Disposable {
  let timer: Disposable | undefined;
  const settled = () => {
    for (const flag of hotAfter) setFlag(flag);
    listener[Symbol.dispose]();
  };
  const wait = () => {
    timer?.[Symbol.dispose]();
    timer = timers.after(settleMs, settled);
  };
  const listener = onChange(wait);
  wait();
  return {
    [Symbol.dispose]() {
      timer?.[Symbol.dispose]();
      listener[Symbol.dispose]();
    },
  };
}
