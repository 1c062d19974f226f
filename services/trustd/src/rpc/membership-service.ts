import {
  MembershipServiceDefinition,
  ReportRequest,
  type ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import { assertReportSize } from '../domain/report-size.ts';
import { type UnaryMethod, unaryMethod } from './unary-method.ts';

/** Stores the record of a node in machined; ends when `signal` aborts. */
export type PassReport = (report: ReportRequest, signal: AbortSignal) => Promise<ReportResponse>;

/**
 * Forwards the reports of nodes to machined, with the address that each came from. machined decides what a
 * node at this address may report. A report that waits for a change ends at once when `stopSignal` aborts, so
 * that its node connects to another trustd.
 */
export function reportMethod(passReport: PassReport, stopSignal: AbortSignal): UnaryMethod {
  const service = MembershipServiceDefinition;
  return unaryMethod<ReportRequest, ReportResponse>(
    service,
    service.methods.report,
    async (request, context) => {
      // A node that already has the list repeats its report every few seconds.
      if (request.knownVersion !== '') context.keepOutOfLog();
      assertReportSize(ReportRequest.encode(request).finish().length);
      const report = { ...request, callerAddress: context.remoteAddress };
      try {
        return await passReport(report, AbortSignal.any([context.signal, stopSignal]));
      } catch (error) {
        if (stopSignal.aborted) throw new Fault('unavailable', 'trustd is stopping');
        throw error;
      }
    },
  );
}
