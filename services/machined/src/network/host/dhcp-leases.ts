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
}

/**
 * Keeps them in a file. What cannot be read or written is logged at most once each, and costs nothing but the same address after a
 * reboot.
 *
 * @param path on the volume STATE
 */
export function openDhcpLeases(path: string, log: Logger): DhcpLeases {
  let leases = read();
  let written: RememberedLeases = leases;
  let isWriting = false;
  let hasFailed = false;

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
      try {
        await writeFileAtomically(path, encodeLeaseFile(latest));
        hasFailed = false;
        written = latest;
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
  };
}
