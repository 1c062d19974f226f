import {
  MembershipServiceDefinition,
  ReportRequest,
  type ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import { assertReportSize } from '../domain/report-size.ts';
import { type UnaryMethod, unaryMethod } from './unary-method.ts';

/** Has machined keep a record; ends when `signal` aborts. */
export type PassReport = (report: ReportRequest, signal: AbortSignal) => Promise<ReportResponse>;

/**
 * Hands the reports of nodes to machined, with the address that they came from: machined decides what a node there may
 * say of itself. Reports that wait for a change end at once when `stopSignal` aborts: their nodes go to another trustd.
 */
export function reportMethod(passReport: PassReport, stopSignal: AbortSignal): UnaryMethod {
  const service = MembershipServiceDefinition;
  return unaryMethod<ReportRequest, ReportResponse>(
    service,
    service.methods.report,
    async (request, context) => {
      // A node that has the list already reports every few seconds.
      if (request.knownVersion !== '') context.keepOutOfLog();
      assertReportSize(ReportRequest.encode(request).finish().length);
      const report = { ...request, callerAddress: context.remoteAddress };
      try {
        return await passReport(report, AbortSignal.any([context.signal, stopSignal]));
      } catch (error) {
        if (stopSignal.aborted) throw new Fault('unavailable', 'trustd is ending');
        throw error;
      }
    },
  );
}
