/** A text as C functions take it: with a zero byte at its end. */
export const cString = (value: string): Buffer => Buffer.from(`${value}\0`);
