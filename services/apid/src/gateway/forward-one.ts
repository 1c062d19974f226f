import { maxMessageSizeBytes } from '@nodewright/contract';
import { faultFrom } from '@nodewright/fault';
import { type InboundCall, Pump } from '@nodewright/h2';
import type { Hop } from '../domain/rewrite-metadata.ts';
import { type CallRecord, endSpan } from './call-record.ts';
import {
  describeConnectFailure,
  describeDeadline,
  describeFullBudget,
  describePumpFailure,
  type HopLabel,
  hopLabel,
} from './describe-failure.ts';
import type { Gateway } from './gateway.ts';
import { hopHeaders } from './hop-headers.ts';

/** Attempts to open the call, because a connection may close just before the call opens on it. */
const maxAttempts = 3;

/**
 * Forwards a call to one hop without decoding it. For every failure the client gets a status that names the
 * hop.
 */
export async function forwardOne(
  gateway: Gateway,
  call: InboundCall,
  hop: Hop,
  record: CallRecord,
): Promise<void> {
  const label = hopLabel(hop, gateway.identity().hostname);
  const span = record.startHop(hop.kind === 'node' ? hop.name : 'machined');
  let connecting = true;
  const start = gateway.starts.enter(record.queue);
  const pump = new Pump({
    inbound: call,
    maxMessageBytes: maxMessageSizeBytes,
    maxRequestMessageBytes: record.plan.maxRequestBytes,
    unread: record.share?.bytes,
    describeFull: describeFullBudget,
    // The backend may report the same deadline, but apid's own text is clearer.
    describe: (failure) =>
      record.deadlinePassed
        ? describeDeadline(label, record.timeoutMs ?? 0, false)
        : describePumpFailure(label, failure, call.path),
    scheduleReset: (reset) => gateway.cancels.add(record.queue, reset),
    onAnswering: () => start.answering(),
    onDone(outcome) {
      start.leave(outcome.cancelled);
      if (span !== undefined) endSpan(span, outcome, outcome.code !== 0);
      if (outcome.cancelled) record.cancelled(outcome);
      else record.finish(outcome);
    },
  });
  record.abort = (status) => pump.fail(status);
  record.onDeadline(() => pump.fail(describeDeadline(label, record.timeoutMs ?? 0, connecting)));

  const build = () => hopHeaders(call, hop, record, span, true);
  const isConstant = span === undefined && record.timeoutMs === undefined;
  const headers = () => (isConstant ? (record.planned?.hopHeaders(build) ?? build()) : build());
  const target = hop.kind === 'node' ? gateway.targetOf(hop.name) : gateway.machined;
  try {
    if (start.turn !== undefined) await start.turn;
    if (pump.over) return;
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const acquired = gateway.pool.acquire(target, record.lane);
      const connection = acquired instanceof Promise ? await acquired : acquired;
      connecting = false;
      if (!pump.start(connection, headers())) continue;
      start.made();
      return;
    }
    pump.fail(closingStatus(label));
  } catch (error) {
    pump.fail(describeConnectFailure(label, faultFrom(error).message));
  }
}

/** The status of a call for which each new connection closed before the call could open on it. */
export function closingStatus(label: HopLabel) {
  return describeConnectFailure(label, 'its connections close as soon as they open');
}
