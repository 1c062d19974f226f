import { setFlagsFromString } from 'node:v8';
import { loadNativeCalls } from '@nodewright/linux';

/** After the daemons have started and the heap of JavaScript has been trimmed, which leaves most of it here. */
const settleMs = 4000;

/** How often code is called before V8 optimises it, once the node has started. */
const hotAfter = ['--invocation-count-for-maglev=2000', '--invocation-count-for-turbofan=10000'];

/**
 * Gives back, once, what starting has left behind in the C library: 6 to 7 MB, which it would keep for later. Where the
 * add-on for system calls cannot be loaded nothing is given back.
 */
export function giveBackMemoryAfterStart(): Disposable {
  const timer = setTimeout(() => {
    // Whoever starts machined may have told V8 to leave the code of its start alone: what is hot now is work.
    for (const flag of hotAfter) setFlagsFromString(flag);
    void loadNativeCalls().then(
      (calls) => calls.giveBackFreeMemory(),
      () => {},
    );
  }, settleMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
