// Asks the driver of a network link through a socket, which belongs to this network namespace, while sysfs may belong to
// another one. Layouts: <linux/ethtool.h>.
import type { NativeCalls } from '../native-calls.ts';

/** Sends a question; the answer is in the same bytes. Undefined when the driver does not answer it. */
export type AskDriver = (question: Buffer) => Buffer | undefined;

const request = 0x8946;
const nameBytes = 16;

/** Asks the driver of the link `name`. */
export function askDriver<T>(calls: NativeCalls, name: string, ask: (ask: AskDriver) => T): T {
  const socket = calls.socket(2, 2, 0);
  try {
    return ask((question) => {
      const argument = Buffer.alloc(40);
      argument.write(name, 0, nameBytes - 1, 'latin1');
      argument.writeBigUInt64LE(calls.addressOf(question), nameBytes);
      try {
        calls.control(socket, request, argument);
        return question;
      } catch {
        // The driver does not support it, or the link was removed in the meantime.
        return undefined;
      }
    });
  } finally {
    calls.close(socket);
  }
}

export function driverQuestion(command: number, lengthBytes: number): Buffer {
  const bytes = Buffer.alloc(lengthBytes);
  bytes.writeUInt32LE(command);
  return bytes;
}
