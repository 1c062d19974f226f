import { Fault } from '@nodewright/fault';
import { trustdLimits } from './limits.ts';

const maxReportSizeBytes = trustdLimits.reportBytes;

/**
 * Rejects a report that is larger than any node sends, before it is forwarded to machined.
 * @throws Fault `invalid-argument`
 */
export function assertReportSize(sizeBytes: number): void {
  if (sizeBytes <= maxReportSizeBytes) return;
  throw new Fault('invalid-argument', `the report has ${sizeBytes} bytes, more than ${maxReportSizeBytes}`);
}
