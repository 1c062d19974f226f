import { existsSync, writeFileSync } from 'node:fs';
import type { Timers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { startLimitMs, type Watchdog } from './watchdog.ts';

export interface LifeSignInit {
  /** Written again and again. Its folder is there when the slot is tried. */
  readonly path: string;
  /** The file that says that the slot is tried. */
  readonly mark: string;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'warn'>;
}

/** A twelfth of the time after which the supervisor takes the system for one that hangs. */
const signEveryMs = 10_000;

/**
 * Shows the supervisor of a node of processes that the event loop runs, in place of a watchdog, and with the limits of one: what hangs while its
 * event loop runs ends, too.
 */
export function openLifeSign({ path, mark, timers, log }: LifeSignInit): Watchdog {
  let timer: Disposable | undefined;
  let deadline: Disposable | undefined;
  const sign = () => {
    try {
      writeFileSync(path, `${timers.monotonicMs()}\n`, { mode: 0o600 });
    } catch (error) {
      log.warn({ error: faultFrom(error).message }, 'the supervisor cannot be shown that this node runs');
    }
    timer = timers.after(signEveryMs, sign);
  };
  const end = () => timer?.[Symbol.dispose]();
  sign();
  const startLimit = timers.after(startLimitMs, end);
  const liftStartLimit = () => startLimit[Symbol.dispose]();
  return {
    trialBegins: liftStartLimit,
    stop() {
      liftStartLimit();
      // The supervisor watches until the mark is removed, which a disk may have refused.
      if (existsSync(mark)) return;
      end();
      deadline?.[Symbol.dispose]();
    },
    endAfter(ms) {
      liftStartLimit();
      deadline ??= timers.after(ms, end);
    },
  };
}
