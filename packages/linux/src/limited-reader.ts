import type { Timers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { NativeCalls } from './native-calls.ts';

export interface LimitedReaderInit {
  /** A descriptor that does not block. */
  readonly descriptor: number;
  /** Messages that are read in a second. In a flood, reading pauses for the rest of the second, and what the kernel cannot keep is lost. */
  readonly mostASecond: number;
  /** Messages that are read in one turn of the event loop, so that other work gets its turn. Default: as many as in a second. */
  readonly mostATurn?: number;
  readonly timers: Pick<Timers, 'monotonicMs' | 'after'>;
  /** Reads one message. @returns whether there was one */
  readonly read: () => boolean;
  /** `read()` has failed, and nothing more is read. */
  readonly onError: (error: unknown) => void;
}

const windowMs = 1000;

/** Reads messages of others at a limited rate, until it is disposed of. It uses no thread, and does not keep the process alive. */
export function readLimited(calls: NativeCalls, init: LimitedReaderInit): Disposable {
  const { descriptor, mostASecond, mostATurn = mostASecond, timers, read, onError } = init;
  let windowStartMs = timers.monotonicMs();
  let count = 0;
  let isOpen = true;
  let readable: Disposable | undefined;
  let pause: Disposable | undefined;
  const stop = () => {
    readable?.[Symbol.dispose]();
    readable = undefined;
  };
  const onReadable = () => {
    const nowMs = timers.monotonicMs();
    if (nowMs - windowStartMs >= windowMs) {
      windowStartMs = nowMs;
      count = 0;
    }
    try {
      for (let turn = 0; isOpen && turn < mostATurn; turn += 1) {
        if (count >= mostASecond) {
          stop();
          pause = timers.after(windowStartMs + windowMs - nowMs, resume);
          return;
        }
        if (!read()) return;
        count += 1;
      }
    } catch (error) {
      stop();
      onError(faultFrom(error));
    }
  };
  const start = () => {
    readable = calls.watchReadable(descriptor, onReadable);
  };
  const resume = () => {
    try {
      start();
    } catch (error) {
      onError(faultFrom(error));
    }
  };
  start();
  return {
    [Symbol.dispose]() {
      isOpen = false;
      pause?.[Symbol.dispose]();
      stop();
    },
  };
}
