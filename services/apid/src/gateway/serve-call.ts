import { grpcCodeFromKind } from '@nodewright/fault';
import type { InboundCall } from '@nodewright/h2';
import { FollowRequest } from '../domain/follow-request.ts';
import { CallRecord } from './call-record.ts';
import type { Chain } from './chain.ts';
import { FanOut } from './fan-out.ts';
import { Forwarding } from './forwarding.ts';
import type { Gateway, GatewayPeer } from './gateway.ts';
import type { Refusal } from './plan-call.ts';
import { failInside, refuseCall } from './refuse-call.ts';

const machined = { kind: 'machined' } as const;

/** Serves one call: decides about it, takes its share of the limits, and forwards it. */
export function serveCall(
  gateway: Gateway,
  call: InboundCall,
  peer: GatewayPeer,
  active: Chain<CallRecord>,
): void {
  const record = new CallRecord(gateway, call, peer, active);
  try {
    record.planned = gateway.plans.of(call, peer, gateway.identity());
    const { route, followField } = record.plan;
    if (followField !== undefined) record.follow = new FollowRequest(followField);
    if (route.kind === 'refused') {
      refuse(call, record, route);
      return;
    }
    const tooMany = takeShare(gateway, peer, record, route.kind === 'many' ? route.targets.length : 1);
    if (tooMany !== undefined) {
      refuse(call, record, { fault: 'resource-exhausted', message: tooMany, httpStatus: 200 });
      return;
    }
    if (route.kind === 'many') {
      new FanOut(gateway, call, route.targets, route.streaming, record).start();
      return;
    }
    const hop = route.kind === 'local' ? machined : ({ kind: 'node', name: route.target } as const);
    new Forwarding(gateway, call, hop, record).start();
  } catch (error) {
    failInside(call, record, error);
  }
}

function refuse(
  call: InboundCall,
  record: CallRecord,
  { fault, message, httpStatus }: Omit<Refusal, 'kind'>,
): void {
  const status = { code: grpcCodeFromKind(fault), message };
  refuseCall(call, status, httpStatus);
  record.refused(status);
}

/** Takes the call's share of the limits and its lane. Returns a text when a limit is reached. */
function takeShare(
  gateway: Gateway,
  peer: GatewayPeer,
  record: CallRecord,
  weight: number,
): string | undefined {
  const { plan } = record;
  const granted = gateway.shares.take(plan, weight, record.startedAt);
  if (typeof granted === 'string') return granted;
  record.share = granted;
  record.queue = plan.identity ?? peer.identity;
  record.lane = gateway.lanes.enter(record.queue);
  return undefined;
}
