import { faultFrom } from '@nodewright/fault';
import { writeFileAtomically } from '@nodewright/files';
import type { Logger } from '@nodewright/telemetry';
import { readIfThere } from '../../base/host/read-if-there.ts';
import {
  encodeLeaseFile,
  leaseKey,
  parseLeaseFile,
  type RememberedLeases,
  withLease,
} from '../domain/dhcp-lease-file.ts';

/** The addresses of earlier leases. */
export interface DhcpLeases {
  addressOf(linkName: string, hardware: string): string | undefined;
  remember(linkName: string, hardware: string, address: string | undefined): void;
  /** Writes them once more, unless they are there: the volume of the file was mounted, over what was written before. */
  keep(): void;
}

/**
 * Keeps them in a file. What cannot be read or written is logged at most once each, and costs nothing but the same address after a
 * reboot.
 *
 * @param path on the volume STATE
 */
export function openDhcpLeases(path: string, log: Logger): DhcpLeases {
  let leases = read();
  /** Undefined while it is not known to be on the volume. */
  let written: RememberedLeases | undefined = leases;
  let mounts = 0;
  let isWriting = false;
  let hasFailed = false;

  function textOnDisk(): string | undefined {
    try {
      return readIfThere(path)?.toString();
    } catch {
      return undefined;
    }
  }

  function read(): RememberedLeases {
    try {
      return parseLeaseFile(readIfThere(path)?.toString() ?? '');
    } catch (error) {
      log.warn({ error: faultFrom(error).message }, 'the addresses of earlier leases cannot be read');
      return new Map();
    }
  }

  /** One write at a time; what changes meanwhile is written after it. */
  async function write(): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    while (written !== leases) {
      const latest = leases;
      const mount = mounts;
      try {
        await writeFileAtomically(path, encodeLeaseFile(latest));
        hasFailed = false;
        if (mount === mounts) written = latest;
      } catch (error) {
        if (!hasFailed)
          log.warn(
            { error: faultFrom(error).message },
            'the address of a lease is not kept for the next start',
          );
        hasFailed = true;
        // The next renewal tries it again.
        break;
      }
    }
    isWriting = false;
  }

  return {
    addressOf: (linkName, hardware) => leases.get(leaseKey(linkName, hardware)),
    remember(linkName, hardware, address) {
      leases = withLease(leases, leaseKey(linkName, hardware), address);
      void write();
    },
    keep() {
      // After most starts it is there already.
      if (leases.size === 0 || textOnDisk() === encodeLeaseFile(leases)) return;
      mounts += 1;
      written = undefined;
      void write();
    },
  };
}
