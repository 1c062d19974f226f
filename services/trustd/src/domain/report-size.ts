import { Fault } from '@nodewright/fault';

/** Enough for a node with the maximum number of addresses. A usual report has less than 300 bytes. */
const maxReportSizeBytes = 16 * 1024;

/**
 * Rejects a report that is larger than any node sends, before it is forwarded to machined.
 * @throws Fault `invalid-argument`
 */
export function assertReportSize(sizeBytes: number): void {
  if (sizeBytes <= maxReportSizeBytes) return;
  throw new Fault('invalid-argument', `the report has ${sizeBytes} bytes, more than ${maxReportSizeBytes}`);
}
