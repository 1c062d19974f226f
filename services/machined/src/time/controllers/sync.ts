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
  jumpMs,
  noTrust,
  ntpStatusOf,
  type TimeSettings,
  timeStatusOf,
  withDrift,
  withSample,
  withStep,
} from '../domain/clock-trust.ts';
import type { MachineClock } from '../domain/machine-clock.ts';
import { implausibleTime } from '../domain/plausible-time.ts';
import { decideStep, noAnswers, type StepState, type StepVerdict } from '../domain/step-decision.ts';
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
/** The pause before a server is asked again to agree with itself. */
const confirmMs = 1500;
const pollMs = 8 * 60_000;
/** The smallest offset that is logged. */
const tellMs = 1000;

interface Look {
  readonly wallMs: number;
  readonly steadyMs: number;
}

/**
 * Whether the clock can be trusted. On a machine that has its configuration, the first server that answers sets the clock, once
 * in each start: later differences are reported. A step of 15 minutes or more needs further answers that agree, see
 * {@link decideStep}, and can happen again. Source: Talos v1.14: time.SyncController.
 */
export function createTimeSyncController({ world, clock, query, steadyMs }: TimeSyncInit): Controller {
  const startMs = steadyMs();
  let trust = noTrust;
  let last: Look | undefined;
  /** The time of the next query, by the monotonic clock, and the servers. */
  let due = { atMs: 0, servers: '', retryMs: firstRetryMs, mayConfirm: true };
  /** The servers of the last warning that none of them is asked. */
  let told = '';
  let hasToldPlain = false;
  /** Why the servers of the last round did not confirm the clock. */
  let problems: readonly ServerProblem[] = [];
  /** What the last answer said that leaves the clock 15 minutes or more from it. */
  let contradiction: ServerProblem | undefined;
  let step: StepState = noAnswers;
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

  /** What an answer does to a clock that it may set; other clocks are only compared. */
  function verdictOf(pass: ReconcilePass, offsetMs: number): StepVerdict {
    const { state, verdict } = decideStep(step, { offsetMs, wallMs: pass.now(), steadyMs: steadyMs() });
    step = state;
    return verdict;
  }

  /** Takes the time of a server. Returns whether the clock was set to it. */
  function setClock(pass: ReconcilePass, to: MachineClock, server: string, offsetMs: number): boolean {
    try {
      to.set(pass.now() + offsetMs);
    } catch (error) {
      pass.log.error({ server, offsetMs, error: faultFrom(error).message }, 'the clock could not be set');
      return false;
    }
    last = { wallMs: pass.now(), steadyMs: steadyMs() };
    trust = withStep(trust, offsetMs);
    pass.log.warn({ server, offsetMs }, 'the clock was set to the time of a server');
    return true;
  }

  /** Returns whether another answer is wanted. */
  function take(pass: ReconcilePass, server: string, offsetMs: number, maySet: boolean): boolean {
    const verdict = maySet && clock !== undefined ? verdictOf(pass, offsetMs) : 'keep';
    contradiction = undefined;
    if (verdict === 'step' && clock !== undefined && setClock(pass, clock, server, offsetMs)) return false;
    if (Math.abs(offsetMs) >= tellMs)
      pass.log.warn({ server, offsetMs }, 'the clock differs from the time server');
    trust = withSample(trust, { offsetMs });
    if (Math.abs(offsetMs) >= jumpMs) contradiction = wrongBy(server, offsetMs);
    return verdict === 'ask';
  }

  async function ask(pass: ReconcilePass, servers: readonly string[], maySet: boolean): Promise<void> {
    const failures: ServerProblem[] = [];
    let isContested = false;
    for (const server of servers) {
      try {
        const { offsetMs } = await query(server, pass.signal);
        const refusal = refusalOf(pass, server, offsetMs);
        if (refusal !== undefined) {
          contradiction = `the answer of time server "${server}" is refused: ${refusal}`;
          failures.push(contradiction);
          continue;
        }
        if (take(pass, server, offsetMs, maySet)) {
          isContested = true;
          failures.push(wrongBy(server, offsetMs));
          continue;
        }
        problems = [wrongBy(server, offsetMs)];
        due = { ...due, atMs: steadyMs() + pollMs, retryMs: firstRetryMs, mayConfirm: true };
        return;
      } catch (error) {
        if (pass.signal.aborted) throw error;
        pass.log.debug({ server, err: faultFrom(error) }, 'a time server does not answer');
        failures.push(noAnswer(server, error));
      }
    }
    problems = failures;
    const now = steadyMs();
    if (isContested && step.isSet) due = { ...due, atMs: now + pollMs, retryMs: firstRetryMs };
    else if (isContested && due.mayConfirm) due = { ...due, atMs: now + confirmMs, mayConfirm: false };
    else due = { ...due, atMs: now + due.retryMs, retryMs: Math.min(due.retryMs * 2, lookMs) };
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
    const isDoubtful = !trust.isConfirmed || contradiction !== undefined;
    const wait =
      world.ownsClock && isTimeSynchronized(settings) && isDoubtful && choice !== undefined
        ? timeWait({
            choice,
            // A server that falls silent does not make the clock right.
            problems: [...new Set([contradiction ?? [], problems].flat())],
            use: trust.isConfirmed ? 'contradicted' : status.synced ? 'timed-out' : 'awaited',
            wasBehind: clock?.wasBehind ?? false,
          })
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
        due = { atMs: 0, servers: key, retryMs: firstRetryMs, mayConfirm: true };
        problems = [];
        contradiction = undefined;
        step = { ...step, against: undefined };
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
