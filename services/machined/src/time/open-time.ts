import { querySntp, type WallClock } from '@nodewright/sntp';
import type { Telemetry } from '@nodewright/telemetry';
import type { World } from '../base/domain/world.ts';
import type { Topic } from '../base/topic.ts';
import { timeControllers } from './controllers/time-controllers.ts';
import type { MachineClock } from './domain/machine-clock.ts';
import { timeServerOf } from './domain/time-server.ts';
import { createTimeService } from './rpc/time.ts';

export interface OpenTimeInit {
  readonly world: World;
  readonly clock: WallClock;
  /** The clock of a machine; `undefined` on a node that must not set its clock. */
  readonly machineClock: MachineClock | undefined;
  /** The time servers in the configuration; empty without any. */
  readonly servers: () => readonly string[];
  readonly telemetry: Telemetry;
}

const queryTimeoutMs = 5000;

/**
 * Opens the topic of time: the RPCs that compare clocks, and the controller that checks this node's clock and, on a machine, sets it.
 */
export function openTime({ world, clock, machineClock, servers, telemetry }: OpenTimeInit): Topic {
  return {
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
