import { buildInfo } from '@nodewright/contract';
import type { NativeCalls } from '@nodewright/linux';
import { querySntp, type WallClock } from '@nodewright/sntp';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import type { World } from '../base/domain/world.ts';
import type { Topic } from '../base/topic.ts';
import { timeControllers } from './controllers/time-controllers.ts';
import type { MachineClock } from './domain/machine-clock.ts';
import { timeServerOf } from './domain/time-server.ts';
import { openMachineClock } from './host/machine-clock.ts';
import { createTimeService } from './rpc/time.ts';

export interface OpenTimeInit {
  readonly world: World;
  readonly clock: WallClock;
  /** The calls that set the clock of a machine; undefined on a node that must not set its clock. */
  readonly calls: Pick<NativeCalls, 'setRealTimeClock'> | undefined;
  /** The time servers in the configuration; empty without any. */
  readonly servers: () => readonly string[];
  readonly telemetry: Telemetry;
  readonly log: Logger;
}

export interface TimeTopic extends Topic {
  /** The clock of a machine; absent on a node that has that of its host. */
  readonly machineClock?: MachineClock;
}

const queryTimeoutMs = 5000;

/**
 * Opens the topic of time: the RPCs that compare clocks, and the controller that checks this node's clock and, on a machine, sets it.
 * A clock of a machine that is before the build of its image is set here, before the other topics open: only the
 * resources that describe kinds and namespaces are older.
 */
export function openTime({ world, clock, calls, servers, telemetry, log }: OpenTimeInit): TimeTopic {
  const machineClock =
    world.ownsClock && calls
      ? openMachineClock({ calls, built: buildInfo.built, now: clock.now, log })
      : undefined;
  return {
    ...(machineClock && { machineClock }),
    controllers: timeControllers({
      world,
      clock: machineClock,
      query: (server, signal) => querySntp({ server, timeoutMs: queryTimeoutMs, clock, signal }),
      steadyMs: () => performance.now(),
    }),
    api: {
      'time.TimeService': createTimeService({
        server: () => timeServerOf(servers()),
        timeoutMs: queryTimeoutMs,
        clock,
        telemetry,
      }),
    },
  };
}
