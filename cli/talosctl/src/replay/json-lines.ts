import { bundleLimits } from './bundle-limits.ts';

/** The text of a file. Bytes that are no UTF-8 become replacement characters. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** The objects in a file with a JSON object per line. Lines that cannot be read are left out. */
export function jsonLines(bytes: Uint8Array | undefined): Readonly<Record<string, unknown>>[] {
  if (bytes === undefined) return [];
  return textOf(bytes)
    .split('\n')
    .flatMap((line) => {
      if (line === '' || line.length > bundleLimits.lineBytes) return [];
      try {
        const value: unknown = JSON.parse(line);
        return typeof value === 'object' && value !== null ? [value as Record<string, unknown>] : [];
      } catch {
        return [];
      }
    });
}
