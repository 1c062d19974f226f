const unitMs: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 0.001,
  n: 0.000_001,
};

/**
 * Parses a `grpc-timeout` value into milliseconds; `undefined` when malformed. Source: gRPC over HTTP/2,
 * Timeout.
 */
export function parseGrpcTimeout(value: string): number | undefined {
  const match = /^(\d{1,8})([HMSmun])$/.exec(value);
  const unit = unitMs[match?.[2] ?? ''];
  return unit === undefined ? undefined : Number(match?.[1]) * unit;
}

/**
 * Formats a `grpc-timeout` value with at most eight digits. Rounds up, so that a hop never times out before
 * its caller.
 */
export function formatGrpcTimeout(timeoutMs: number): string {
  if (timeoutMs <= 0) return '0m';
  for (const unit of ['m', 'S', 'M'] as const) {
    const amount = Math.ceil(timeoutMs / (unitMs[unit] ?? 1));
    if (amount < 100_000_000) return `${amount}${unit}`;
  }
  return `${Math.min(Math.ceil(timeoutMs / 3_600_000), 99_999_999)}H`;
}
