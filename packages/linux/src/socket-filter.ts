import { Fault, faultFrom } from '@nodewright/fault';
import type { NativeCalls } from './native-calls.ts';

/** One instruction of a classic BPF program, as in <linux/filter.h>. */
export interface FilterInstruction {
  readonly op: number;
  readonly jt: number;
  readonly jf: number;
  readonly k: number;
}

// <asm-generic/socket.h>
const socketLevel = 1;
const attachFilterOption = 26;

/**
 * Lets the kernel pass only what the program accepts to a socket.
 *
 * @throws Fault `invalid-argument` for a program that the kernel refuses
 */
export function attachFilter(calls: NativeCalls, socket: number, filter: readonly FilterInstruction[]): void {
  const program = Buffer.alloc(filter.length * 8);
  for (const [index, { op, jt, jf, k }] of filter.entries()) {
    program.writeUInt16LE(op, index * 8);
    program.writeUInt8(jt, index * 8 + 2);
    program.writeUInt8(jf, index * 8 + 3);
    program.writeUInt32LE(k, index * 8 + 4);
  }
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt16LE(filter.length);
  descriptor.writeBigUInt64LE(calls.addressOf(program), 8);
  try {
    calls.setSocketOption(socket, socketLevel, attachFilterOption, descriptor);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== 'EINVAL') throw faultFrom(error);
    throw new Fault('invalid-argument', `the kernel refuses the filter of ${filter.length} instructions`, {
      cause: error,
    });
  }
}
