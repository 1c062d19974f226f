// Numbers and times as the page writes them.

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

/** `1.4 GiB`. */
export function bytesText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)));
  const value = bytes / 1024 ** power;
  return `${value.toFixed(power > 0 && value < 10 ? 1 : 0)} ${units[power]}`;
}

export const rateText = (rate: number | undefined): string =>
  rate === undefined ? '–' : `${bytesText(rate)}/s`;

export const percentText = (share: number | undefined): string =>
  share === undefined ? '–' : `${(share * 100).toFixed(share < 0.0995 ? 1 : 0)} %`;

export const numberText = (value: number | undefined, digits = 0): string =>
  value === undefined ? '–' : value.toFixed(digits);

/** `3d 4h`, `12m 5s`: the two largest units. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return '0s';
  return parts
    .slice(first, first + 2)
    .filter(([count], at) => at === 0 || count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join(' ');
}

/** `1.25 s`, `12.3 ms`, `0.042 ms`: a length with three digits. */
export function millisText(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
  return `${ms.toFixed(ms >= 100 ? 0 : ms >= 1 ? 1 : 3)} ms`;
}

const two = (value: number) => String(value).padStart(2, '0');

/** The time of day in the zone of the reader. */
export function clockText(ms: number, withMillis = false): string {
  const date = new Date(ms);
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  return withMillis ? `${clock}.${String(date.getMilliseconds()).padStart(3, '0')}` : clock;
}

/** Date and time of day in the zone of the reader. */
export function dateText(ms: number): string {
  const date = new Date(ms);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clockText(ms)}`;
}

export const countText = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
