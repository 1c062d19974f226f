import type { Piece } from '../cache/blob-file.ts';

/**
 * The piece that the header `Range` asks for: `whole` without a header that is understood, also for several ranges;
 * `unsatisfiable` when it begins behind the end. Source: RFC 9110, range requests.
 */
export function parseRange(header: string | undefined, size: number): Piece | 'whole' | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const count = Math.min(Number(last), size);
    return count === 0 ? 'unsatisfiable' : { start: size - count, end: size };
  }
  if (last !== '' && Number(last) < Number(first)) return 'whole';
  if (Number(first) >= size) return 'unsatisfiable';
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
