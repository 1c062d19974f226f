import {
  type MembershipServiceImplementation,
  ReportRequest,
  type ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import { keepOutOfLog } from '@nodewright/rpc';
import { callerAddress } from '../domain/caller-address.ts';
import { assertReportSize } from '../domain/report-size.ts';

/** Has machined keep a record; ends when `signal` aborts. */
export type PassReport = (report: ReportRequest, signal: AbortSignal) => Promise<ReportResponse>;

/**
 * Hands the reports of nodes to machined, with the address that they came from: machined decides what a node there may
 * say of itself. Reports that wait for news end at once when `stopSignal` aborts: their nodes go to another trustd.
 */
export function createMembershipService(
  passReport: PassReport,
  stopSignal: AbortSignal,
): MembershipServiceImplementation {
  return {
    async report(request, context) {
      const { peer, signal } = context;
      // Who has the list already is a node that reports every few seconds.
      if (request.knownVersion !== '') keepOutOfLog(context);
      const address = callerAddress(peer);
      if (address === '') throw new Fault('permission-denied', 'peer not found');
      assertReportSize(ReportRequest.encode(request).finish().length);
      const report = { ...request, callerAddress: address };
      try {
        return await passReport(report, AbortSignal.any([signal, stopSignal]));
      } catch (error) {
        if (stopSignal.aborted) throw new Fault('unavailable', 'trustd is ending');
        throw error;
      }
    },
  };
}
