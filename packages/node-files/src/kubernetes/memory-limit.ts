/** Bytes of each suffix of a quantity. Source: Kubernetes: quantities. */
const suffixes: Readonly<Record<string, number>> = {
  '': 1,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * `GOMEMLIMIT` for a memory limit: 95 % of it in bytes, so that Go collects garbage before the kernel ends the process.
 * `undefined` without a limit, and for one that is no quantity.
 */
export function goMemoryLimit(limit: string | undefined): string | undefined {
  const [, number, exponent, suffix = ''] =
    /^(\d+(?:\.\d*)?|\.\d+)(?:([eE][+-]?\d+)|([a-zA-Z]{0,2}))?$/.exec(limit ?? '') ?? [];
  const factor = Object.hasOwn(suffixes, suffix) ? suffixes[suffix] : undefined;
  if (number === undefined || factor === undefined) return undefined;
  const bytes = Math.floor(Number(`${number}${exponent ?? ''}`) * factor * 0.95);
  return bytes > 0 ? String(bytes) : undefined;
}
