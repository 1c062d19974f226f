import { setTimeout as sleep } from 'node:timers/promises';
import { anySignal, pause } from '@nodewright/async';
import { openLogFile } from '@nodewright/daemon';
import { runProgram } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import { DeviceDrivers, readModaliases } from './device-drivers.ts';
import { createModules, type LoadModules } from './modules.ts';
import { createUdevControl, type UdevControl } from './udev-control.ts';
import { startUdevd } from './udevd.ts';

/** What the daemon may do with the devices of a machine that belongs to the node. */
export interface OwnDevices {
  readonly udev: Pick<UdevControl, 'trigger' | 'settle'>;
  readonly loadModules: LoadModules;
  /** Gets each event of a device, and hears of lost ones. */
  readonly drivers: Pick<DeviceDrivers, 'onEvent' | 'onLost'>;
  readonly status: () => UdevdState;
}

export interface UdevdState {
  readonly isRunning: boolean;
  /** All devices were processed since udevd was started, and nothing was left to do at the last check. */
  readonly isSettled: boolean;
  /** Why they are not; empty when they are. */
  readonly problem: string;
  /** How often udevd was started again. */
  readonly restarts: number;
}

export interface OwnDevicesInit {
  /** The programs. */
  readonly udevd: string;
  readonly udevadm: string;
  /** File for the output of udevd; by default it goes to the log. */
  readonly udevdLog: string | undefined;
  /** How long devices may still appear after udevd has processed all of them, in ms. */
  readonly settleTime: number;
  /** Where sysfs is mounted. */
  readonly sysRoot: string;
  /** Called after each check. */
  readonly onChecked: (isSettled: boolean) => void;
  readonly log: Logger;
  /** Aborts when the daemon stops. */
  readonly signal: AbortSignal;
}

/** Source: Talos v1.14: health checks, udevd. */
const checkPeriodMs = 60_000;
/** Between two checks while there is something left to do. */
const retryPeriodMs = 2000;
const unprocessed = 'udevd has not processed all devices yet';

/** Runs udevd until `scope` ends, and lets it process all devices after each of its starts. */
export function ownDevices(init: OwnDevicesInit, scope: AsyncDisposableStack): OwnDevices {
  const { log, signal, udevdLog } = init;
  const udev = createUdevControl({
    ...{ program: init.udevadm, run: runProgram, settleTimeMs: init.settleTime },
    now: () => performance.now(),
    sleep: (ms) => sleep(ms, undefined, { ref: false }),
  });
  const loadModules = createModules();
  const { sysRoot } = init;
  const drivers = new DeviceDrivers({ load: loadModules, all: () => readModaliases(sysRoot), log });
  let problem: string | undefined = unprocessed;
  let resting = new AbortController();
  const udevd = scope.use(
    startUdevd({
      ...{ program: init.udevd, log, endOther: udev.endOther },
      output:
        udevdLog === undefined
          ? { write: (text) => log.info({ text: text.trimEnd() }, 'output of udevd') }
          : scope.use(openLogFile(udevdLog)),
      onStarted() {
        udev.forget();
        problem = unprocessed;
        resting.abort();
      },
    }),
  );
  const follow = async () => {
    while (!signal.aborted) {
      resting = new AbortController();
      const loads = drivers.loads;
      const found = await udev.check();
      await drivers.idle();
      // A driver that was loaded meanwhile has new devices.
      if (drivers.loads !== loads && !signal.aborted) continue;
      // Another udevd was started meanwhile.
      if (resting.signal.aborted) continue;
      if (found !== problem)
        log.info({ problem: found }, found === undefined ? 'devices are settled' : 'devices are not settled');
      problem = found;
      init.onChecked(problem === undefined && udevd.isRunning);
      await pause(problem === undefined ? checkPeriodMs : retryPeriodMs, anySignal(signal, resting.signal));
    }
  };
  void follow();
  const status = () => ({
    ...{ isRunning: udevd.isRunning, restarts: udevd.restarts },
    isSettled: udevd.isRunning && problem === undefined,
    problem: udevd.isRunning ? (problem ?? '') : udevd.problem,
  });
  return { udev, loadModules, drivers, status };
}
