import {
  type MembershipServiceClient,
  type MembershipServiceImplementation,
  ReportRequest,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault } from '@nodewright/fault';
import { callerAddress } from '../domain/caller-address.ts';
import { assertReportSize } from '../domain/report-size.ts';

/**
 * Hands the reports of nodes to machined, with the address that they came from: machined decides what a node there may
 * say of itself.
 */
export function createMembershipService(machined: MembershipServiceClient): MembershipServiceImplementation {
  return {
    async report(request, { peer, signal }) {
      const address = callerAddress(peer);
      if (address === '') throw new Fault('permission-denied', 'peer not found');
      assertReportSize(ReportRequest.encode(request).finish().length);
      return machined.report({ ...request, callerAddress: address }, { signal });
    },
  };
}
