const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];

/** A readable size: `512 B`, `1.5 kB`, `20 GB`. Source: Talos v1.14: COSI resources, block. */
export function decimalSize(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1000 && unit + 1 < units.length) [size, unit] = [size / 1000, unit + 1];
  const tenths = Math.floor(size * 10 + 0.5);
  return `${unit > 0 && tenths < 100 ? (tenths / 10).toFixed(1) : halfToEven(tenths)} ${units[unit]}`;
}

/** Rounds tenths to a whole number as upstream does. */
function halfToEven(tenths: number): number {
  const whole = Math.floor(tenths / 10);
  const rest = tenths % 10;
  if (rest === 5) return whole + (whole % 2);
  return rest > 5 ? whole + 1 : whole;
}
