import { Fault } from '@nodewright/fault';

/** Room for a node with all the addresses that it may have; a usual report takes less than 300 bytes. */
const maxReportSizeBytes = 16 * 1024;

/** Throws a Fault `invalid-argument` for a report that no node sends, before anybody else gets it. */
export function assertReportSize(sizeBytes: number): void {
  if (sizeBytes <= maxReportSizeBytes) return;
  throw new Fault('invalid-argument', `the report has ${sizeBytes} bytes, more than ${maxReportSizeBytes}`);
}
