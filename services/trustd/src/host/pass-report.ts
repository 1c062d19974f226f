import {
  MembershipServiceDefinition,
  type ReportRequest,
  type ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import type { Telemetry } from '@nodewright/telemetry';

/**
 * Reports to the machined that serves `socket`. Each call connects anew: a channel that has found nobody waits longer and
 * longer before it looks again, and the records of the nodes would end meanwhile.
 */
export async function passReport(
  socket: string,
  telemetry: Telemetry,
  report: ReportRequest,
  signal: AbortSignal,
): Promise<ReportResponse> {
  using channel = openUnixChannel(socket);
  return await createRpcClient(MembershipServiceDefinition, channel, { telemetry }).report(report, {
    signal,
  });
}
