import { type Controller, exclusive, type ReconcilePass, weak } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import { pointerTo } from '@nodewright/state';
import { machineConfigs, ntpStatuses, timeServerStatuses, timeStatuses } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import type { World } from '../../base/domain/world.ts';
import { askableServers, type ServerChoice, unaskedWarning } from '../domain/askable-servers.ts';
import {
  type ClockTrust,
  isTimeSynchronized,
  noTrust,
  ntpStatusOf,
  timeStatusOf,
  withDrift,
  withSample,
} from '../domain/clock-trust.ts';

export interface TimeSyncInit {
  readonly world: World;
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
 * Whether the clock can be trusted. It queries servers and never sets the clock. Source: Talos v1.14:
 * time.SyncController.
 */
export function createTimeSyncController({ world, query, steadyMs }: TimeSyncInit): Controller {
  const startMs = steadyMs();
  let trust = noTrust;
  let last: Look | undefined;
  /** The time of the next query, by the monotonic clock, and the servers. */
  let due = { atMs: 0, servers: '', retryMs: firstRetryMs };
  /** The servers of the last warning that none of them is asked. */
  let told = '';

  async function ask(pass: ReconcilePass, servers: readonly string[]): Promise<void> {
    for (const server of servers) {
      try {
        const { offsetMs } = await query(server, pass.signal);
        if (Math.abs(offsetMs) >= tellMs)
          pass.log.warn({ server, offsetMs }, 'the clock differs from the time server');
        trust = withSample(trust, { offsetMs });
        due = { ...due, atMs: steadyMs() + pollMs, retryMs: firstRetryMs };
        return;
      } catch (error) {
        if (pass.signal.aborted) throw error;
        pass.log.debug({ server, err: faultFrom(error) }, 'a time server does not answer');
      }
    }
    due = { ...due, atMs: steadyMs() + due.retryMs, retryMs: Math.min(due.retryMs * 2, lookMs) };
  }

  function tellUnasked(pass: ReconcilePass, choice: ServerChoice, bootTimeoutMs: number): void {
    const warning = world.ownsClock ? unaskedWarning({ ...choice, bootTimeoutMs }) : undefined;
    const about = warning === undefined ? '' : choice.servers.join(' ');
    if (warning !== undefined && about !== told) pass.log.warn({ servers: choice.servers }, warning);
    told = about;
  }

  const put = async (pass: ReconcilePass, settings: Parameters<typeof timeStatusOf>[1], of: ClockTrust) => {
    await pass.put({ ...pointerTo(timeStatuses), spec: timeStatusOf(of, settings) });
    await pass.put({ ...pointerTo(ntpStatuses), spec: ntpStatusOf(of) });
  };

  return {
    name: 'time.SyncController',
    // Servers are asked over the network, so no clock device is waited for.
    inputs: [weak(timeServerStatuses, timeServerStatuses.singleton), weak(machineConfigs, activeConfigId)],
    outputs: [exclusive(timeStatuses), exclusive(ntpStatuses)],
    async reconcile(pass) {
      const now = { wallMs: pass.now(), steadyMs: steadyMs() };
      if (last !== undefined)
        trust = withDrift(trust, now.wallMs - last.wallMs - (now.steadyMs - last.steadyMs));
      last = now;

      const config = (await configurationOf(pass))?.effective.time;
      const settings = () => ({
        ...{ world, isDisabled: config?.disabled ?? false, bootTimeoutMs: config?.bootTimeoutMs ?? 0 },
        sinceStartMs: steadyMs() - startMs,
      });
      await put(pass, settings(), trust);
      if (isTimeSynchronized(settings())) {
        const status = await pass.get(pointerTo(timeServerStatuses));
        const { timeServers = [], useNTS = false } = status?.spec ?? {};
        const servers = askableServers({ servers: timeServers, useNTS });
        tellUnasked(pass, { servers: timeServers, useNTS }, config?.bootTimeoutMs ?? 0);
        const key = servers.join(' ');
        if (key !== due.servers) due = { atMs: 0, servers: key, retryMs: firstRetryMs };
        if (servers.length > 0 && steadyMs() >= due.atMs) {
          await ask(pass, servers);
          await put(pass, settings(), trust);
        }
        if (servers.length > 0) pass.wakeAfter(Math.max(due.atMs - steadyMs(), 0));
        const { bootTimeoutMs, sinceStartMs } = settings();
        if (bootTimeoutMs > sinceStartMs) pass.wakeAfter(bootTimeoutMs - sinceStartMs);
      }
      pass.wakeAfter(lookMs);
    },
  };
}
