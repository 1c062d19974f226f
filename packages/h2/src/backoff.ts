const baseMs = 1000;
const factor = 1.6;
const jitter = 0.2;
const maxMs = 15_000;

/**
 * How long to leave a backend alone after its `failures`th failed connect in a row (from 1), in milliseconds.
 * `random` is in [0, 1). Source: Talos v1.14: outgoing connections of apid; gRPC connection backoff.
 */
export function backoffDelayMs(failures: number, random: number): number {
  const delay = Math.min(maxMs, baseMs * factor ** Math.max(0, failures - 1));
  return Math.min(maxMs, delay * (1 + jitter * (2 * random - 1)));
}
