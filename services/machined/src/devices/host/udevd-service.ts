import { pause } from '@nodewright/async';
import { serviceIds } from '@nodewright/contract';
import { createNeighbourRunner, type HealthCheck, type ServiceDefinition } from '@nodewright/services';
import type { UdevdLink } from './udevd-link.ts';

/** Source: Talos v1.14: health checks, udevd. */
const healthTimes: Omit<HealthCheck, 'check'> = {
  initialDelayMs: 100,
  periodMs: 60_000,
  timeoutMs: 55_000,
};
/** udevd-bridge starts udevd again by itself, so there is no hurry to see that. */
const lookMs = 5000;
/** The first look at all devices keeps a small machine busy, and a late answer does not mean that udevd has ended. */
const answerMs = 10_000;

/** udevd as a service of a machine. udevd-bridge runs it; the service is healthy when udevd has processed all devices. */
export function udevdService(udevd: Pick<UdevdLink, 'isRunning' | 'isSettled'>): ServiceDefinition {
  return {
    id: serviceIds.udevd,
    outlivedBy: [serviceIds.machined, serviceIds.udevdBridge],
    runner: createNeighbourRunner(serviceIds.udevd, {
      check: (timeoutMs) => udevd.isRunning(timeoutMs),
      sleep: pause,
      periodMs: lookMs,
      timeoutMs: answerMs,
      texts: { up: 'is run by udevd-bridge', wait: 'to be started by udevd-bridge' },
    }),
    health: { check: (timeoutMs) => udevd.isSettled(timeoutMs), ...healthTimes },
  };
}
