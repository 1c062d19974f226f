// The installation that a configuration asks for.
import { isDeepStrictEqual } from 'node:util';
import { pauseBy, type Timers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { EffectiveConfig } from '@nodewright/machine-config';
import type { Logger } from '@nodewright/telemetry';
import { type InstallRequest, requestOf } from '../domain/install-request.ts';
import type { InstallState } from '../domain/install-status.ts';
import { changedWish, type InstallWish } from './machine-installation.ts';

type InstallSettings = EffectiveConfig['install'];

export interface ConfiguredInstallationInit {
  /** What the configuration in force asks for; undefined when it asks for no installation. */
  readonly settings: () => InstallSettings;
  /** @throws Fault as `MachineInstallation.installConfigured()` */
  readonly install: (
    request: InstallRequest,
    report: (line: string) => void,
    wish: InstallWish,
  ) => Promise<void>;
  /** Runs an attempt as a sequence of the node. @throws Fault when another sequence runs, or took over */
  readonly asSequence: (attempt: () => Promise<void>) => Promise<void>;
  readonly onChange: (state: InstallState) => void;
  /** Shows a line on the console, and among the events. */
  readonly announce: (line: string) => void;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** A disk may still appear, and a registry may come back. */
const retryMs = 60_000;
/** How often the configuration is compared meanwhile. */
const lookMs = 1000;

/**
 * Installs until that has worked, or until the configuration asks for no installation any more. A change of what it asks for is tried at
 * once, and ends an installation that runs. What fails is said, and the API goes on: a restart would lose the configuration, which is in memory.
 *
 * @returns `none` when no installation was asked for; `wait` when the next start is left to somebody
 */
export async function installAsConfigured(
  init: ConfiguredInstallationInit,
): Promise<'none' | 'restart' | 'wait'> {
  const { settings, onChange, announce, timers, signal, log } = init;
  for (let last = ''; !signal.aborted; ) {
    const wanted = settings();
    if (wanted === undefined) {
      onChange({ kind: 'none' });
      return 'none';
    }
    const problem = await attempt(init, wanted);
    if (problem === undefined) {
      onChange({ kind: 'waiting for reboot' });
      return (settings() ?? wanted).reboots === false ? 'wait' : 'restart';
    }
    // A call has installed meanwhile, and its caller restarts the machine.
    if (problem.isInstalled) {
      onChange({ kind: 'waiting for reboot' });
      return 'wait';
    }
    if (problem.message !== last) {
      last = problem.message;
      log.error({ error: last }, 'the system is not installed');
      announce(`the system is not installed: ${last}`);
    }
    // What a configuration or a person has to change is no failure of this machine.
    onChange({ kind: problem.isRefused ? 'pending' : 'failed', problem: last });
    await untilChanged(wanted, { settings, timers, signal });
  }
  return 'wait';
}

interface Problem {
  readonly message: string;
  readonly isRefused: boolean;
  readonly isInstalled: boolean;
}

async function attempt(
  { settings, install, asSequence, onChange, timers, log }: ConfiguredInstallationInit,
  wanted: NonNullable<InstallSettings>,
): Promise<Problem | undefined> {
  let problem: Problem | undefined;
  const request = requestOf(wanted);
  const isWanted = () => {
    const now = settings();
    return now !== undefined && isDeepStrictEqual(requestOf(now), request);
  };
  const tryIt = async () => {
    using wish = watchWish(isWanted, timers);
    try {
      onChange({ kind: 'installing' });
      await install(request, (line) => log.info({ line }, 'installation'), wish);
    } catch (error) {
      const { kind, message } = faultFrom(error);
      problem = {
        message,
        isRefused: kind === 'failed-precondition',
        isInstalled: kind === 'already-exists',
      };
    }
  };
  try {
    await asSequence(tryIt);
  } catch (error) {
    // Another sequence has taken over, perhaps one that ends the machine.
    problem ??= { message: faultFrom(error).message, isRefused: false, isInstalled: false };
  }
  return problem;
}

/** Looks every second whether the installation is still wanted, until it is disposed of. */
function watchWish(isWanted: () => boolean, timers: Timers): InstallWish & Disposable {
  const stop = new AbortController();
  let timer: Disposable | undefined;
  const look = () => {
    if (isWanted()) timer = timers.after(lookMs, look);
    else stop.abort(changedWish());
  };
  look();
  return { signal: stop.signal, isWanted, [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
}

async function untilChanged(
  tried: NonNullable<InstallSettings>,
  { settings, timers, signal }: Pick<ConfiguredInstallationInit, 'settings' | 'timers' | 'signal'>,
): Promise<void> {
  for (let waited = 0; waited < retryMs && !signal.aborted; waited += lookMs) {
    await pauseBy(timers, lookMs, signal);
    if (!isDeepStrictEqual(settings(), tried)) return;
  }
}
