import koffi from 'koffi';

/** Source: getrusage(2): the children that have ended and were waited for. */
const rusageChildren = -1;
/** Bytes of `struct rusage` on 64-bit Linux; it begins with two `struct timeval`, of user and of system time. */
const rusageBytes = 144;

const getrusage = koffi.load('libc.so.6').func('int getrusage(int who, void *usage)');

/** The processor time of all children that have ended, user and system, in milliseconds, with a resolution of microseconds. */
export function childrenCpuMs(): number {
  const usage = Buffer.alloc(rusageBytes);
  if (getrusage(rusageChildren, usage) !== 0) throw new Error('getrusage failed');
  const [userSeconds = 0n, userMicros = 0n, systemSeconds = 0n, systemMicros = 0n] = [0, 8, 16, 24].map(
    (offset) => usage.readBigInt64LE(offset),
  );
  return Number((userSeconds + systemSeconds) * 1_000_000n + userMicros + systemMicros) / 1000;
}
