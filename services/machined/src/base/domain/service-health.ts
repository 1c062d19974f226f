/** Health of a service, as `ServiceHealth` shows it. Source: Talos v1.14: health record. */
export interface ServiceHealth {
  readonly unknown: boolean;
  readonly healthy: boolean;
  readonly lastMessage: string;
  /** Unix ms of the last flip; undefined before there was a check. */
  readonly lastChangeMs: number | undefined;
}

/** What one check found. */
export type HealthResult = { readonly healthy: true } | { readonly healthy: false; readonly message: string };

/** Of a service that has no health check, and of every service that does not run yet. */
export const unknownHealth: ServiceHealth = {
  unknown: true,
  healthy: false,
  lastMessage: '',
  lastChangeMs: undefined,
};

/** The runner runs and the first check is still to come. */
export function pendingHealth(nowMs: number): ServiceHealth {
  return { unknown: true, healthy: false, lastMessage: 'Unknown', lastChangeMs: nowMs };
}

/** Takes over what a check found. The text follows every check, the time only a flip. */
export function healthAfter(before: ServiceHealth, result: HealthResult, nowMs: number): ServiceHealth {
  const isFlip = before.unknown || before.healthy !== result.healthy;
  return {
    unknown: false,
    healthy: result.healthy,
    lastMessage: result.healthy ? '' : result.message,
    lastChangeMs: isFlip ? nowMs : before.lastChangeMs,
  };
}
