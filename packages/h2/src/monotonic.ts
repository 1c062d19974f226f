/** Milliseconds since the process began. The first use of `performance` would load all of `node:perf_hooks`. */
export const monotonicMs = (): number => process.uptime() * 1000;
