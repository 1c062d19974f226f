import {
  MembershipServiceDefinition,
  type ReportRequest,
  type ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import type { Telemetry } from '@nodewright/telemetry';

/** Hands reports to machined until it is disposed. */
export interface ReportPasser extends Disposable {
  pass(report: ReportRequest, signal: AbortSignal): Promise<ReportResponse>;
}

/** A machined that was away is found again within this time, in ms: the records of the nodes would end otherwise. */
const maxReconnectPauseMs = 500;

/** Reports go to the machined that serves `socket`. */
export function openReportPasser(socket: string, telemetry: Telemetry): ReportPasser {
  const channel = openUnixChannel(socket, { maxReconnectPauseMs });
  const client = createRpcClient(MembershipServiceDefinition, channel, { telemetry });
  return {
    pass: (report, signal) => client.report(report, { signal }),
    [Symbol.dispose]: () => channel[Symbol.dispose](),
  };
}
