import { type Controller, exclusive, type ReconcilePass, shared, weak } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import { pointerTo } from '@nodewright/state';
import {
  diagnostics,
  machineConfigs,
  ntpStatuses,
  timeServerStatuses,
  timeStatuses,
} from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { timeSyncDiagnostic } from '../../base/domain/time-sync-diagnostic.ts';
import type { World } from '../../base/domain/world.ts';
import {
  maySetClock,
  plainDefaultNote,
  type ServerChoice,
  serversToAsk,
  unaskedWarning,
} from '../domain/askable-servers.ts';
import {
  isTimeSynchronized,
  noTrust,
  ntpStatusOf,
  stepMs,
  type TimeSettings,
  timeStatusOf,
  withDrift,
  withSample,
  withStep,
} from '../domain/clock-trust.ts';
import type { MachineClock } from '../domain/machine-clock.ts';
import { implausibleTime } from '../domain/plausible-time.ts';
import { type ServerProblem, timeWait } from '../domain/time-wait.ts';

export interface TimeSyncInit {
  readonly world: World;
  /** `undefined` on a node that does not own its clock. */
  readonly clock: MachineClock | undefined;
  /**
   * Queries one server, `host` or `host:port`.
   *
   * @throws Fault
   */
  readonly query: (server: string, signal: AbortSignal) => Promise<{ readonly offsetMs: number }>;
  /** Milliseconds of a monotonic clock. */
  readonly steadyMs: () => number;
}

/** How often to check whether the clock has jumped. */
const lookMs = 60_000;
const firstRetryMs = 5000;
const pollMs = 8 * 60_000;
/** The smallest offset that is logged. */
const tellMs = 1000;

interface Look {
  readonly wallMs: number;
  readonly steadyMs: number;
}

/**
 * Whether the clock can be trusted. On a machine that has its configuration, the first server that answers sets the clock, once
 * in each start: later differences are reported. Source: Talos v1.14: time.SyncController.
 */
export function createTimeSyncController({ world, clock, query, steadyMs }: TimeSyncInit): Controller {
  const startMs = steadyMs();
  let trust = noTrust;
  let last: Look | undefined;
  /** The time of the next query, by the monotonic clock, and the servers. */
  let due = { atMs: 0, servers: '', retryMs: firstRetryMs };
  /** The servers of the last warning that none of them is asked. */
  let told = '';
  let hasToldPlain = false;
  /** Why the servers of the last round did not confirm the clock. */
  let problems: readonly ServerProblem[] = [];
  /** Whether an answer has set the clock, or found it right. */
  let isSet = false;
  /** The last refused answer of each server, which are logged once. */
  const refused = new Map<string, string>();

  /** Why the answer of a server cannot be right; undefined when it can. */
  function refusalOf(pass: ReconcilePass, server: string, offsetMs: number): string | undefined {
    const reason = implausibleTime(pass.now() + offsetMs, clock?.builtMs);
    if (reason === undefined) refused.delete(server);
    else if (refused.get(server) !== reason) {
      refused.set(server, reason);
      pass.log.warn({ server, offsetMs, reason }, 'the answer of a time server is refused');
    }
    return reason;
  }

  /** Takes the time of a server. Returns whether the clock was set to it. */
  function setClock(pass: ReconcilePass, server: string, offsetMs: number): boolean {
    if (clock === undefined || isSet) return false;
    isSet = true;
    if (Math.abs(offsetMs) < stepMs) return false;
    try {
      clock.set(pass.now() + offsetMs);
    } catch (error) {
      pass.log.error({ server, offsetMs, error: faultFrom(error).message }, 'the clock could not be set');
      return false;
    }
    last = { wallMs: pass.now(), steadyMs: steadyMs() };
    trust = withStep(trust, offsetMs);
    pass.log.warn({ server, offsetMs }, 'the clock was set to the time of a server');
    return true;
  }

  async function ask(pass: ReconcilePass, servers: readonly string[], maySet: boolean): Promise<void> {
    const failures: ServerProblem[] = [];
    for (const server of servers) {
      try {
        const { offsetMs } = await query(server, pass.signal);
        const refusal = refusalOf(pass, server, offsetMs);
        if (refusal !== undefined) {
          failures.push(`the answer of time server "${server}" is refused: ${refusal}`);
          continue;
        }
        if (!maySet || !setClock(pass, server, offsetMs)) {
          if (Math.abs(offsetMs) >= tellMs)
            pass.log.warn({ server, offsetMs }, 'the clock differs from the time server');
          trust = withSample(trust, { offsetMs });
        }
        problems = [wrongBy(server, offsetMs)];
        due = { ...due, atMs: steadyMs() + pollMs, retryMs: firstRetryMs };
        return;
      } catch (error) {
        if (pass.signal.aborted) throw error;
        pass.log.debug({ server, err: faultFrom(error) }, 'a time server does not answer');
        failures.push(noAnswer(server, error));
      }
    }
    problems = failures;
    due = { ...due, atMs: steadyMs() + due.retryMs, retryMs: Math.min(due.retryMs * 2, lookMs) };
  }

  function tellUnasked(pass: ReconcilePass, choice: ServerChoice, bootTimeoutMs: number): void {
    const warning = world.ownsClock ? unaskedWarning({ ...choice, bootTimeoutMs }) : undefined;
    const about = warning === undefined ? '' : choice.servers.join(' ');
    if (warning !== undefined && about !== told) pass.log.warn({ servers: choice.servers }, warning);
    told = about;
  }

  function tellPlainDefault(pass: ReconcilePass, choice: ServerChoice, chosen: readonly string[]): void {
    const note = hasToldPlain ? undefined : plainDefaultNote(choice, chosen);
    if (note === undefined) return;
    pass.log[world.ownsClock ? 'warn' : 'info']({ servers: choice.servers }, note);
    hasToldPlain = true;
  }

  /** @param choice undefined while nothing of the node waits for the time */
  const put = async (pass: ReconcilePass, settings: TimeSettings, choice: ServerChoice | undefined) => {
    const status = timeStatusOf(trust, settings);
    await pass.put({ ...pointerTo(timeStatuses), spec: status });
    await pass.put({ ...pointerTo(ntpStatuses), spec: ntpStatusOf(trust) });
    const isUnconfirmed = world.ownsClock && isTimeSynchronized(settings) && !trust.isConfirmed;
    const wait =
      isUnconfirmed && choice !== undefined
        ? timeWait({ choice, problems, isAwaited: !status.synced, wasBehind: clock?.wasBehind ?? false })
        : undefined;
    await pass.replace(diagnostics, wait === undefined ? [] : [{ id: timeSyncDiagnostic, spec: wait }]);
  };

  return {
    name: 'time.SyncController',
    // Servers are asked over the network, so no clock device is waited for.
    inputs: [weak(timeServerStatuses, timeServerStatuses.singleton), weak(machineConfigs, activeConfigId)],
    outputs: [exclusive(timeStatuses), exclusive(ntpStatuses), shared(diagnostics)],
    async reconcile(pass) {
      const now = { wallMs: pass.now(), steadyMs: steadyMs() };
      if (last !== undefined)
        trust = withDrift(trust, now.wallMs - last.wallMs - (now.steadyMs - last.steadyMs));
      last = now;

      const effective = (await configurationOf(pass))?.effective;
      const config = effective?.time;
      const settings = () => ({
        ...{ world, isDisabled: config?.disabled ?? false, bootTimeoutMs: config?.bootTimeoutMs ?? 0 },
        sinceStartMs: steadyMs() - startMs,
      });
      const status = await pass.get(pointerTo(timeServerStatuses));
      const choice = { servers: status?.spec.timeServers ?? [], useNTS: status?.spec.useNTS ?? false };
      const servers = serversToAsk(choice, effective);
      const maySet = maySetClock(choice, effective);
      // The servers are asked at once when the configuration comes, because they may set the clock then.
      const key = `${maySet} ${servers.join(' ')}`;
      if (key !== due.servers) {
        due = { atMs: 0, servers: key, retryMs: firstRetryMs };
        problems = [];
        refused.clear();
      }
      const waitsFor = effective?.isComplete ? choice : undefined;
      await put(pass, settings(), waitsFor);
      if (isTimeSynchronized(settings())) {
        tellUnasked(pass, choice, config?.bootTimeoutMs ?? 0);
        tellPlainDefault(pass, { ...choice, servers }, config?.servers ?? []);
        if (servers.length > 0 && steadyMs() >= due.atMs) {
          await ask(pass, servers, maySet);
          await put(pass, settings(), waitsFor);
        }
        if (servers.length > 0) pass.wakeAfter(Math.max(due.atMs - steadyMs(), 0));
        const { bootTimeoutMs, sinceStartMs } = settings();
        if (bootTimeoutMs > sinceStartMs) pass.wakeAfter(bootTimeoutMs - sinceStartMs);
      }
      pass.wakeAfter(lookMs);
    },
  };
}

/** Without the time that the query took, so that the same problem is the same text. */
function noAnswer(server: string, error: unknown): ServerProblem {
  const fault = faultFrom(error);
  const { message } = fault.cause === undefined ? fault : faultFrom(fault.cause);
  return `time server "${server}": ${message}`;
}

const wrongBy = (server: string, offsetMs: number): ServerProblem =>
  `it differs from time server "${server}" by ${Math.round(offsetMs / 1000)} s`;
