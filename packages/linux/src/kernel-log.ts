import { closeSync, constants, openSync, readSync } from 'node:fs';
import { Fault, type FaultKind } from '@nodewright/fault';
import { type KmsgRecord, parseKmsgRecord } from './parse-kmsg-record.ts';

/** The next entry of the kernel's log. */
export type KernelLogEntry =
  | { readonly kind: 'record'; readonly record: KmsgRecord }
  /**
   * The ring buffer overran before this reader read it: this many records are lost, then the log continues.
   */
  | { readonly kind: 'lost'; readonly count: bigint };

/**
 * Returns the next record as bytes; undefined when there is none yet. Throws with code `EPIPE` after an
 * overrun.
 */
export type ReadKmsg = (buffer: Uint8Array) => number | undefined;

/** A reader of the kernel's log, starting with its oldest record. */
export interface KernelLog extends Disposable {
  /** The next entry; undefined when there is none yet. Never waits. */
  next(): KernelLogEntry | undefined;
}

/** A record has at most 8 KiB including escapes; with a smaller buffer the kernel fails the read. */
const bufferBytes = 16 * 1024;
const flags = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Opens `/dev/kmsg`.
 *
 * @throws Fault `permission-denied` when this process may not read it, `unknown` when it cannot be opened.
 * Source: Talos v1.14: Dmesg.
 */
export function openKernelLog(path = '/dev/kmsg'): KernelLog {
  const descriptor = openDevice(path);
  let isOpen = true;
  const log = createKernelLog((buffer) => {
    try {
      const length = readSync(descriptor, buffer, 0, buffer.length, null);
      return length === 0 ? undefined : length;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
      throw error;
    }
  });
  return {
    next: () => log.next(),
    [Symbol.dispose]() {
      if (!isOpen) return;
      isOpen = false;
      closeSync(descriptor);
    },
  };
}

/** The same for any reader of records. A gap in the sequence numbers is the number of lost records. */
export function createKernelLog(read: ReadKmsg): Pick<KernelLog, 'next'> {
  const buffer = Buffer.alloc(bufferBytes);
  let expected: bigint | undefined;
  let pending: KmsgRecord | undefined;

  const nextRecord = (): KmsgRecord | undefined => {
    for (;;) {
      let length: number | undefined;
      try {
        length = read(buffer);
      } catch (error) {
        // The buffer overran: the next read returns the oldest remaining record, whose number shows how many
        // were lost.
        if ((error as NodeJS.ErrnoException).code === 'EPIPE') continue;
        throw error;
      }
      if (length === undefined) return undefined;
      const record = parseKmsgRecord(buffer.subarray(0, length));
      if (record !== undefined) return record;
    }
  };

  return {
    next() {
      const record = pending ?? nextRecord();
      pending = undefined;
      if (record === undefined) return undefined;
      if (expected !== undefined && record.sequence > expected) {
        const count = record.sequence - expected;
        expected = record.sequence;
        pending = record;
        return { kind: 'lost', count };
      }
      expected = record.sequence + 1n;
      return { kind: 'record', record };
    },
  };
}

function openDevice(path: string): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const { kind, why } = refusalOf(code) ?? { kind: 'unknown', why: message };
    throw new Fault(kind, `error opening ${path} reader: ${why}`, { cause: error });
  }
}

function refusalOf(code: string): { readonly kind: FaultKind; readonly why: string } | undefined {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'ERR_ACCESS_DENIED':
      return { kind: 'permission-denied', why: `${code}: reading the kernel's log needs CAP_SYSLOG or root` };
    case 'ENOENT':
      return {
        kind: 'unknown',
        why: "most containers are not given the kernel's log: run dmesg on the machine that runs this one",
      };
    default:
      return undefined;
  }
}
