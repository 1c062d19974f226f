/** Splits a device number into major and minor number. Source: Linux, encoding of dev_t in user space. */
export function deviceOf(rdev: number): { major: number; minor: number } {
  const low = rdev >>> 0;
  const high = Math.floor(rdev / 2 ** 32);
  return {
    major: ((low >>> 8) & 0xfff) + (high & 0xfffff000),
    minor: (low & 0xff) + ((low >>> 12) & 0xfff00),
  };
}
