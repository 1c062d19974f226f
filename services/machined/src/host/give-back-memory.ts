import { loadNativeCalls } from '@nodewright/linux';

/** After the daemons have started and the heap of JavaScript has been trimmed, which leaves most of it here. */
const settleMs = 4000;

/**
 * Gives back, once, what starting has left behind in the C library: 6 to 7 MB, which it would keep for later. Where the
 * add-on for system calls cannot be loaded nothing is given back.
 */
export function giveBackMemoryAfterStart(): Disposable {
  const timer = setTimeout(() => {
    void loadNativeCalls().then(
      (calls) => calls.giveBackFreeMemory(),
      () => {},
    );
  }, settleMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}
