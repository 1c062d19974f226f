import { closeSync, writeSync } from 'node:fs';
import type { Timers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { NativeCalls } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';

/** The watchdog that the init has started because the slot is tried. It resets the machine when it is not fed for its time. */
export interface Watchdog {
  /** The trial has begun, which has a limit of its own: that of the start does not count any more. */
  trialBegins(): void;
  /** Stops it: the system is confirmed, or it was never on trial. One that cannot be stopped is fed on. */
  stop(): void;
  /** Feeds it for so long only: the machine is to restart until then. */
  endAfter(ms: number): void;
}

/** The one of a node that tries no system. */
export const noWatchdog: Watchdog = { trialBegins() {}, stop() {}, endAfter() {} };

export interface WatchdogInit {
  /** The open device; undefined when the init has started none. */
  readonly descriptor: number | undefined;
  readonly timers: Timers;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  readonly device: {
    /** Keeps the device from programs that this process starts: one that has it open would keep it from being stopped. */
    readonly closeOnExec: (descriptor: number) => void;
    readonly write: (descriptor: number, text: string) => void;
    readonly close: (descriptor: number) => void;
  };
}

/** A sixth of the time of the watchdog. */
const feedEveryMs = 10_000;
/**
 * How long the watchdog is fed before the trial begins: while disks are found, and STATE is checked, decrypted and mounted. A start that hangs
 * there is reset a minute later.
 */
export const startLimitMs = 10 * 60_000;
/** A device that is closed after this character is stopped. Source: Linux, watchdog API, magic close. */
const magicClose = 'V';

/**
 * Feeds the watchdog from the event loop, so it is not fed when this process hangs or has ended. To be called as early as possible: what follows
 * may take longer than the time of the watchdog. Services that fail are the matter of the trial, which has a limit of its own.
 */
export function openWatchdog({ descriptor, timers, log, device }: WatchdogInit): Watchdog {
  if (descriptor === undefined) return noWatchdog;
  let isOpen = true;
  let timer: Disposable | undefined;
  let deadline: Disposable | undefined;
  const feed = () => {
    try {
      device.write(descriptor, '\0');
    } catch (error) {
      log.warn({ error: faultFrom(error).message }, 'the watchdog cannot be fed');
    }
    timer = timers.after(feedEveryMs, feed);
  };
  device.closeOnExec(descriptor);
  const endFeeding = () => timer?.[Symbol.dispose]();
  feed();
  const startLimit = timers.after(startLimitMs, endFeeding);
  const liftStartLimit = () => startLimit[Symbol.dispose]();
  return {
    trialBegins: liftStartLimit,
    stop() {
      if (!isOpen) return;
      liftStartLimit();
      try {
        device.write(descriptor, magicClose);
        device.close(descriptor);
      } catch (error) {
        // It runs on, and would reset a machine that does not feed it.
        log.warn({ error: faultFrom(error).message }, 'the watchdog cannot be stopped: it is fed on');
        return;
      }
      isOpen = false;
      endFeeding();
      deadline?.[Symbol.dispose]();
      log.info({}, 'the watchdog is stopped');
    },
    endAfter(ms) {
      liftStartLimit();
      if (isOpen) deadline ??= timers.after(ms, endFeeding);
    },
  };
}

// <asm-generic/ioctls.h>: FIOCLEX
const setCloseOnExec = 0x5451;

/**
 * The descriptor of an option that only the init of a machine sets.
 *
 * @returns undefined for any other text
 */
export const watchdogDescriptor = (option: string): number | undefined =>
  /^\d{1,4}$/.test(option) ? Number(option) : undefined;

/** The device by its calls. */
export const watchdogDevice = ({ control }: Pick<NativeCalls, 'control'>): WatchdogInit['device'] => ({
  closeOnExec: (descriptor) => control(descriptor, setCloseOnExec, Buffer.alloc(4)),
  write: (descriptor, text) => void writeSync(descriptor, text),
  close: (descriptor) => closeSync(descriptor),
});
