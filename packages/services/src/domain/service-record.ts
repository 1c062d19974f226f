import { Fault } from '@nodewright/fault';
import {
  type HealthResult,
  healthAfter,
  pendingHealth,
  type ServiceHealth,
  unknownHealth,
} from './service-health.ts';
import { type ServiceEvent, type ServiceState, serviceTransitions } from './service-state.ts';

export interface HistoryEntry {
  readonly state: ServiceState;
  readonly message: string;
  /** Time of the entry, in Unix ms. */
  readonly atMs: number;
}

/** The state, health and history of a service, as `ServiceList` reports them. */
export interface ServiceRecord {
  readonly id: string;
  readonly state: ServiceState;
  /** Whether it was told to stop since it was last started. */
  readonly isStopped: boolean;
  readonly hasHealthCheck: boolean;
  readonly health: ServiceHealth;
  /** Oldest first, at most `historyLimit` entries. */
  readonly history: readonly HistoryEntry[];
}

/** The number of entries that a history keeps. Source: Talos v1.14: history of a service. */
export const historyLimit = 64;

export function newServiceRecord(id: string, hasHealthCheck: boolean): ServiceRecord {
  return { id, state: 'Initialized', isStopped: false, hasHealthCheck, health: unknownHealth, history: [] };
}

/**
 * Returns the record after `event`.
 *
 * @throws Fault `internal` when the event is not allowed in the record's state.
 */
export function recordEvent(
  before: ServiceRecord,
  event: ServiceEvent,
  message: string,
  nowMs: number,
): ServiceRecord {
  const state = serviceTransitions[before.state][event];
  if (state === undefined) {
    throw new Fault('internal', `service "${before.id}" cannot ${event} while ${before.state}: ${message}`);
  }
  return {
    ...withEntry(before, { state, message, atMs: nowMs }),
    state,
    isStopped: event !== 'start' && before.isStopped,
    health: healthIn(state, before, nowMs),
  };
}

/** Returns the record of a service that was told to stop. */
export function recordStop(before: ServiceRecord): ServiceRecord {
  return { ...before, isStopped: true };
}

/**
 * Returns the record after a health check. Only a change of health adds a history entry. A check that ends
 * after the service has stopped running changes nothing.
 */
export function recordHealth(before: ServiceRecord, result: HealthResult, nowMs: number): ServiceRecord {
  if (before.state !== 'Running' || !before.hasHealthCheck) return before;
  const after = { ...before, health: healthAfter(before.health, result, nowMs) };
  if (!before.health.unknown && before.health.healthy === result.healthy) return after;
  const message = result.healthy ? 'Health check successful' : `Health check failed: ${result.message}`;
  return withEntry(after, { state: before.state, message, atMs: nowMs });
}

/** Whether the service has finished, failed or been skipped. */
export function isDown({ state }: ServiceRecord): boolean {
  return state === 'Failed' || state === 'Finished' || state === 'Skipped';
}

/** Whether it has ended by a failure while it was wanted, rather than after it was told to stop. */
export function hasFailed({ state, isStopped }: Pick<ServiceRecord, 'state' | 'isStopped'>): boolean {
  return state === 'Failed' && !isStopped;
}

/** Whether other services can rely on this one: it runs and is healthy or has no health check, or it was skipped. */
export function isUp({ state, hasHealthCheck, health }: ServiceRecord): boolean {
  return state === 'Skipped' || (state === 'Running' && (!hasHealthCheck || health.healthy));
}

/** Whether there is nothing left to wait for: the service is up, has finished, or has ended after it was told to stop. */
export function isUpOrFinished(record: ServiceRecord): boolean {
  return isUp(record) || (isDown(record) && !hasFailed(record));
}

function withEntry(record: ServiceRecord, entry: HistoryEntry): ServiceRecord {
  return { ...record, history: [...record.history, entry].slice(-historyLimit) };
}

function healthIn(state: ServiceState, before: ServiceRecord, nowMs: number): ServiceHealth {
  if (!before.hasHealthCheck) return unknownHealth;
  if (state === 'Running') return before.state === 'Running' ? before.health : pendingHealth(nowMs);
  if (before.state !== 'Running') return before.health;
  return healthAfter(before.health, { healthy: false, message: 'service not running' }, nowMs);
}
