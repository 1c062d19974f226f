const units: Readonly<Record<string, bigint>> = Object.freeze({
  '': 1n,
  b: 1n,
  ...unitTable(1000n, ['k', 'm', 'g', 't', 'p', 'e'], ['', 'b']),
  ...unitTable(1024n, ['k', 'm', 'g', 't', 'p', 'e'], ['i', 'ib']),
});

function unitTable(base: bigint, letters: readonly string[], endings: readonly string[]) {
  return Object.fromEntries(
    letters.flatMap((letter, at) =>
      endings.map((ending) => [letter + ending, base ** BigInt(at + 1)] as const),
    ),
  );
}

/**
 * Parses a number with a unit into bytes: `kB MB GB TB` are powers of 1000, `KiB MiB GiB TiB` of 1024.
 * Returns `undefined` for any other text, and beyond 64 bits.
 *
 * Source: Talos v1.14: machine configuration, scalar forms.
 */
export function parseByteSize(text: string): bigint | undefined {
  const [, whole, fraction = '', unit = ''] = /^(\d{1,30})(?:\.(\d{0,30}))?\s*([A-Za-z]*)$/.exec(text) ?? [];
  const size = Object.hasOwn(units, unit.toLowerCase()) ? units[unit.toLowerCase()] : undefined;
  if (whole === undefined || size === undefined) return undefined;
  const bytes = BigInt(whole) * size + (BigInt(fraction || '0') * size) / 10n ** BigInt(fraction.length);
  return bytes < 2n ** 64n ? bytes : undefined;
}

/** A size limit: bytes, a percentage of the free space, or an amount to leave free. */
export type SizeLimit =
  | { readonly kind: 'bytes'; readonly bytes: bigint }
  | { readonly kind: 'percent'; readonly percent: number }
  | { readonly kind: 'left-free'; readonly bytes: bigint }
  | { readonly kind: 'percent-left-free'; readonly percent: number };

/** Parses `10GiB` or `25%`. A leading `-` leaves that amount free. Returns `undefined` for any other text. */
export function parseSizeLimit(text: string): SizeLimit | undefined {
  const bare = text.replace(/^-/, '');
  const [, percentText] = /^(\d{1,3}(?:\.\d+)?)%$/.exec(bare) ?? [];
  const percent = percentText === undefined ? undefined : Number(percentText);
  if (percent !== undefined && percent > 100) return undefined;
  const bytes = percent === undefined ? parseByteSize(bare) : undefined;
  if (percent === undefined && bytes === undefined) return undefined;
  const isLeftFree = bare !== text;
  if (bytes !== undefined) return { kind: isLeftFree ? 'left-free' : 'bytes', bytes };
  return { kind: isLeftFree ? 'percent-left-free' : 'percent', percent: percent ?? 0 };
}
