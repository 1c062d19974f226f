/** Health of a service, as `ServiceHealth` reports it. Source: Talos v1.14: health record. */
export interface ServiceHealth {
  readonly unknown: boolean;
  readonly healthy: boolean;
  readonly lastMessage: string;
  /** Unix ms of the last change between healthy and unhealthy; `undefined` before the first check. */
  readonly lastChangeMs: number | undefined;
}

/** The result of one health check. */
export type HealthResult = { readonly healthy: true } | { readonly healthy: false; readonly message: string };

/** The health of services without a health check, and of services that have not run yet. */
export const unknownHealth: ServiceHealth = {
  unknown: true,
  healthy: false,
  lastMessage: '',
  lastChangeMs: undefined,
};

/** The health of a service that runs while its first check has not finished. */
export function pendingHealth(nowMs: number): ServiceHealth {
  return { unknown: true, healthy: false, lastMessage: 'Unknown', lastChangeMs: nowMs };
}

/** Returns the health after a check. `lastMessage` follows every check, `lastChangeMs` only a change of `healthy`. */
export function healthAfter(before: ServiceHealth, result: HealthResult, nowMs: number): ServiceHealth {
  const isFlip = before.unknown || before.healthy !== result.healthy;
  return {
    unknown: false,
    healthy: result.healthy,
    lastMessage: result.healthy ? '' : result.message,
    lastChangeMs: isFlip ? nowMs : before.lastChangeMs,
  };
}
