import {
  type CheckCertificateRequest,
  type CheckCertificateResponse,
  MembershipServiceDefinition,
  type ReportRequest,
  type ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import type { Telemetry } from '@nodewright/telemetry';

/** Calls to machined about the records of the cluster's nodes. */
export interface NodeRecords extends Disposable {
  /** Stores the record of a node in machined. */
  report(report: ReportRequest, signal: AbortSignal): Promise<ReportResponse>;
  /** Asks machined which of these names a node may have. Rejects with machined's Fault when it may have none. */
  checkCertificate(request: CheckCertificateRequest, signal: AbortSignal): Promise<CheckCertificateResponse>;
}

/** Longest delay before a reconnect to machined, in ms. Records of nodes would expire during a longer one. */
const maxReconnectPauseMs = 500;

/** Opens a connection to the machined that serves `socket`. */
export function openNodeRecords(socket: string, telemetry: Telemetry): NodeRecords {
  const channel = openUnixChannel(socket, { maxReconnectPauseMs });
  const client = createRpcClient(MembershipServiceDefinition, channel, { telemetry });
  return {
    report: (report, signal) => client.report(report, { signal }),
    checkCertificate: (request, signal) => client.checkCertificate(request, { signal }),
    [Symbol.dispose]: () => channel[Symbol.dispose](),
  };
}
