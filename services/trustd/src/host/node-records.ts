import {
  type CheckCertificateRequest,
  type CheckCertificateResponse,
  MembershipServiceDefinition,
  type ReportRequest,
  type ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import type { Telemetry } from '@nodewright/telemetry';

/** What machined keeps and knows of the nodes of the cluster; until it is disposed. */
export interface NodeRecords extends Disposable {
  /** Has machined keep the record of a node. */
  report(report: ReportRequest, signal: AbortSignal): Promise<ReportResponse>;
  /** Asks machined whether a node may have these names; rejects with its Fault when not. */
  checkCertificate(request: CheckCertificateRequest, signal: AbortSignal): Promise<CheckCertificateResponse>;
}

/** A machined that was away is found again within this time, in ms: the records of the nodes would end otherwise. */
const maxReconnectPauseMs = 500;

/** The records of the machined that serves `socket`. */
export function openNodeRecords(socket: string, telemetry: Telemetry): NodeRecords {
  const channel = openUnixChannel(socket, { maxReconnectPauseMs });
  const client = createRpcClient(MembershipServiceDefinition, channel, { telemetry });
  return {
    report: (report, signal) => client.report(report, { signal }),
    checkCertificate: (request, signal) => client.checkCertificate(request, { signal }),
    [Symbol.dispose]: () => channel[Symbol.dispose](),
  };
}
