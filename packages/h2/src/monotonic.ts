/**
 * Milliseconds since some moment in the past. `performance` would load all of `node:perf_hooks`, and `process.uptime()` takes twice as
 * long.
 */
export const monotonicMs = (): number => {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
};
