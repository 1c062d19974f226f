// Calls in threads of the C library, for a process whose event loop has ended. Node.js has no threads then, and those of its pool
// may all wait for a disk that hangs.
import type { LibraryHandle } from 'koffi';

// <time.h>, <bits/types/sigevent_t.h>, <errno.h>
const clockMonotonic = 1;
const notifyByThread = 2;
const notEnded = 110;
const sigeventBytes = 64;
const notifyAt = 12;
const functionAt = 16;
const billion = 1_000_000_000n;

/** Functions that take nothing, return nothing that matters, and may not return. `pause` never does: it is for tests. */
export type ThreadFunction = 'sync' | 'pause';
/** Functions that take a number and end something. */
export type EndFunction = 'reboot' | '_exit';

export interface TimedCalls {
  /**
   * Runs a function in a thread of its own, and blocks this one for as long as it takes, but not longer than the given time.
   *
   * @returns whether the function has returned; undefined when no thread could be made
   */
  runInThread(name: ThreadFunction, timeoutMs: number): boolean | undefined;
  /**
   * Calls a function after a time, in a thread of its own, whatever this thread waits for then.
   *
   * @returns whether the timer could be set
   */
  callLater(name: EndFunction, value: number, delayMs: number): boolean;
}

/** Writes a `struct timespec`. */
function writeTime(bytes: Buffer, at: number, nanoseconds: bigint): void {
  bytes.writeBigInt64LE(nanoseconds / billion, at);
  bytes.writeBigInt64LE(nanoseconds % billion, at + 8);
}

/** Binds the functions at each call: older C libraries, which run no machine, lack some of them. */
export function createTimedCalls(libc: LibraryHandle): TimedCalls {
  const addressOf = (name: ThreadFunction | EndFunction): bigint => {
    const dlsym = libc.func('uintptr_t dlsym(uintptr_t, const char *)');
    return BigInt(dlsym(0, name));
  };
  return {
    runInThread(name, timeoutMs) {
      const create = libc.func('int pthread_create(void *, uintptr_t, uintptr_t, uintptr_t)');
      const join = libc.func('int pthread_clockjoin_np(uintptr_t, uintptr_t, int, const void *)');
      const thread = Buffer.alloc(8);
      if (create(thread, 0, addressOf(name), 0) !== 0) return undefined;
      const until = Buffer.alloc(16);
      writeTime(until, 0, process.hrtime.bigint() + BigInt(timeoutMs) * 1_000_000n);
      return join(thread.readBigUInt64LE(), 0, clockMonotonic, until) !== notEnded;
    },
    callLater(name, value, delayMs) {
      const createTimer = libc.func('int timer_create(int, const void *, void *)');
      const setTimer = libc.func('int timer_settime(uintptr_t, int, const void *, uintptr_t)');
      const event = Buffer.alloc(sigeventBytes);
      event.writeInt32LE(value, 0);
      event.writeInt32LE(notifyByThread, notifyAt);
      event.writeBigUInt64LE(addressOf(name), functionAt);
      const timer = Buffer.alloc(8);
      if (createTimer(clockMonotonic, event, timer) !== 0) return false;
      // A `struct itimerspec`: an interval of 0, so that the timer fires once, and then the delay.
      const times = Buffer.alloc(32);
      writeTime(times, 16, BigInt(delayMs) * 1_000_000n);
      return setTimer(timer.readBigUInt64LE(), 0, times, 0) === 0;
    },
  };
}
