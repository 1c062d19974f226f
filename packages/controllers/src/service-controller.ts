import { ChangeSignal } from '@nodewright/async';
import type { Controller, Input, ReconcilePass } from './controller.ts';
import { FailedStarts } from './failed-starts.ts';
import { leaveAsIs } from './transform-controller.ts';

/** How a service of the node should run. */
export interface WantedService {
  /**
   * A text that identifies the settings that the service reads only when it starts. The controller restarts
   * the service when this text differs from the one it was launched with. A service that follows its settings
   * itself leaves it out.
   */
  readonly settings?: string;
}

/** Why a restart has not happened yet, and when to try again. */
export interface PostponedRestart {
  readonly reason: string;
  readonly retryAfterMs: number;
}

export interface RestartRequest {
  /** Aborts when the controller stops. */
  readonly signal: AbortSignal;
  /** Whether the service still runs with settings that differ from those in the resources. */
  readonly isNeeded: () => Promise<boolean>;
}

/** The service that a controller starts, restarts and stops. */
export interface FollowingService {
  /** Starts it in the background. Does nothing while it runs. May be called again after it failed. */
  start(): Promise<void> | void;
  /** Resolves when it has stopped. */
  stop(): Promise<void>;
  /**
   * The settings it was launched with; `undefined` while it is stopped or being prepared. Only a service
   * whose `wanted` has `settings` needs this and `restart`.
   */
  launchedWith?(): string | undefined;
  /**
   * Restarts it with the settings in the resources at the time of the launch, or returns why it must wait.
   */
  restart?(request: RestartRequest): Promise<PostponedRestart | undefined>;
  /**
   * Whether it has ended by a failure of its own, such as one of its preparation, and stays down until it is started again. One that
   * was stopped has not failed, whatever its end was like. By default it never fails.
   */
  hasFailed?(): boolean;
  /** Calls `listener` when it may have failed, until the result is disposed of. */
  onFailure?(listener: () => void): Disposable;
}

export interface ServiceControllerInit {
  readonly name: string;
  /**
   * The resources that decide about the service. A service with `settings` also lists its own resource
   * (`Services`), which wakes the controller when the service has been launched.
   */
  readonly inputs: readonly Input[];
  /**
   * The service as the resources want it: `undefined` when it should not run, `leaveAsIs` while they do not
   * decide.
   */
  readonly wanted: (
    pass: ReconcilePass,
  ) => Promise<WantedService | typeof leaveAsIs | undefined> | WantedService | typeof leaveAsIs | undefined;
  readonly service: FollowingService;
}

export interface ServiceController extends Controller {
  /**
   * Enables the controller; until then it does not touch the service. Resolves when the service was started,
   * when it is not wanted yet, or when `signal` aborts.
   *
   * @throws the error of the first attempt to start the service. The controller backs off and retries.
   */
  begin(signal: AbortSignal): Promise<void>;
}

/**
 * A controller that runs a service as resources want it: it starts the service when it becomes wanted,
 * restarts it when its settings change, and stops it when it is no longer wanted. A service that failed starts
 * again after a pause, and at once when its settings change. A service that a user stopped stays stopped until
 * the user starts it, or until it becomes wanted again.
 */
export function serviceController({
  name,
  inputs,
  wanted,
  service,
}: ServiceControllerInit): ServiceController {
  const changed = new ChangeSignal();
  let mayAct = false;
  let hasActed = false;
  let isStarted = false;
  let failure: { readonly error: unknown } | undefined;
  let wake = () => {};
  let postponed: string | undefined;
  const failedStarts = new FailedStarts();

  const isOutdated = async (pass: ReconcilePass) => {
    const target = await wanted(pass);
    if (target === undefined || target === leaveAsIs || target.settings === undefined) return false;
    const launched = service.launchedWith?.();
    return launched !== undefined && launched !== target.settings;
  };

  async function follow(pass: ReconcilePass): Promise<void> {
    const target = await wanted(pass);
    if (target === leaveAsIs) return;
    if (target === undefined) {
      if (isStarted) await service.stop();
      isStarted = false;
      return;
    }
    if (isStarted) return startAgain(pass, target);
    await start(pass, target);
    isStarted = true;
  }

  async function startAgain(pass: ReconcilePass, target: WantedService): Promise<void> {
    if (!service.hasFailed?.()) return;
    const pauseMs = failedStarts.pauseMs(target.settings, pass.monotonicMs());
    if (pauseMs === 0) await start(pass, target);
    else pass.wakeAfter(pauseMs);
  }

  async function start(pass: ReconcilePass, { settings }: WantedService): Promise<void> {
    failedStarts.started(settings, pass.monotonicMs());
    await service.start();
  }

  async function restart(pass: ReconcilePass): Promise<void> {
    if (!isStarted || !(await isOutdated(pass))) return;
    const { signal, log } = pass;
    const outcome = await service.restart?.({ signal, isNeeded: () => isOutdated(pass) });
    if (outcome !== undefined) {
      if (outcome.reason !== postponed)
        log.warn({ reason: outcome.reason }, 'restart of a service postponed');
      pass.wakeAfter(outcome.retryAfterMs);
    }
    postponed = outcome?.reason;
    const target = await wanted(pass);
    if (outcome === undefined && target !== leaveAsIs)
      failedStarts.started(target?.settings, pass.monotonicMs());
  }

  return {
    name,
    inputs,
    outputs: [],
    open(source, scope) {
      wake = () => source.wake();
      const failures = service.onFailure?.(wake);
      if (failures !== undefined) scope.use(failures);
    },
    async reconcile(pass) {
      if (!mayAct) return;
      try {
        await follow(pass);
      } catch (error) {
        failure ??= { error };
        throw error;
      } finally {
        hasActed = true;
        changed.notify();
      }
      await restart(pass);
    },
    async begin(signal) {
      mayAct = true;
      wake();
      while (!hasActed && !signal.aborted) await changed.next(signal);
      if (failure !== undefined) throw failure.error;
    },
  };
}
