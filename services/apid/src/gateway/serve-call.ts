import { metadataKeys } from '@nodewright/contract';
import { type FaultKind, grpcCodeFromKind } from '@nodewright/fault';
import {
  type GrpcStatus,
  hasHeader,
  headerValue,
  headerValues,
  type InboundCall,
  isGrpcContentType,
  parseGrpcTimeout,
  statusTrailers,
} from '@nodewright/h2';
import { namedCaller } from '../domain/caller-identity.ts';
import { checkRequest } from '../domain/check-request.ts';
import type { GatewayIdentity } from '../domain/gateway-identity.ts';
import { gatewayShares } from '../domain/limits.ts';
import { mayCall } from '../domain/may-call.ts';
import { type CallerRoles, rolesFromCertificate, rolesInMaintenance } from '../domain/roles.ts';
import { routeRequest } from '../domain/route-request.ts';
import { CallRecord } from './call-record.ts';
import { FanOut } from './fan-out.ts';
import { forwardOne } from './forward-one.ts';
import type { Gateway, GatewayPeer } from './gateway.ts';

/**
 * Serves one call: validates the request, determines the caller's roles and the route, and forwards the call.
 */
export function serveCall(
  gateway: Gateway,
  call: InboundCall,
  peer: GatewayPeer,
  active: Set<CallRecord>,
): void {
  const record = new CallRecord(gateway, call, peer, active);
  const refuse = (kind: FaultKind, message: string, httpStatus = 200) => {
    const status = { code: grpcCodeFromKind(kind), message };
    refuseCall(call, status, httpStatus);
    record.refused(status);
  };
  try {
    const contentType = headerValue(call.headers, 'content-type');
    const wrong = checkRequest(call.method, call.path, contentType, isGrpcContentType(contentType));
    if (wrong !== undefined) {
      refuse(wrong.fault, wrong.message, wrong.httpStatus);
      return;
    }
    const timeout = headerValue(call.headers, 'grpc-timeout');
    if (timeout !== undefined) {
      record.timeoutMs = parseGrpcTimeout(timeout);
      if (record.timeoutMs === undefined) {
        refuse('internal', `malformed grpc-timeout: ${JSON.stringify(timeout)}`);
        return;
      }
    }
    const identity = gateway.identity();
    record.caller = callerRoles(identity, peer, call);
    if (!mayCall(call.path, record.caller.roles, identity.readonlyRoleMode)) {
      refuse('permission-denied', 'not authorized');
      return;
    }
    const route = routeRequest(
      {
        fullMethod: call.path,
        node: headerValues(call.headers, metadataKeys.node),
        nodes: headerValues(call.headers, metadataKeys.nodes),
        proxied: hasHeader(call.headers, metadataKeys.proxyFrom),
      },
      {
        nodeRoutingDisabled: identity.nodeRoutingDisabled,
        canForward: identity.client !== undefined,
        localTargets: identity.localTargets,
        maxTargets: gatewayShares.nodesPerCall,
      },
    );
    if (route.kind !== 'refused') {
      const refusal = takeShare(
        gateway,
        call,
        peer,
        record,
        route.kind === 'many' ? route.targets.length : 1,
      );
      if (refusal !== undefined) {
        refuse('resource-exhausted', refusal);
        return;
      }
    }
    switch (route.kind) {
      case 'refused':
        refuse(route.fault, route.message);
        return;
      case 'local':
        forwardOrFail(gateway, call, { kind: 'machined' }, record);
        return;
      case 'one':
        forwardOrFail(gateway, call, { kind: 'node', name: route.target }, record);
        return;
      case 'many':
        new FanOut(gateway, call, route.targets, route.streaming, record).start();
    }
  } catch (error) {
    failInside(call, record, error);
  }
}

function callerRoles(identity: GatewayIdentity, peer: GatewayPeer, call: InboundCall): CallerRoles {
  return identity.readonlyRoleMode
    ? rolesInMaintenance(peer.remoteAddress)
    : rolesFromCertificate(peer.organizations, headerValues(call.headers, metadataKeys.role));
}

/** Takes the call's share of the limits and its lane. Returns a text when a limit is reached. */
function takeShare(
  gateway: Gateway,
  call: InboundCall,
  peer: GatewayPeer,
  record: CallRecord,
  weight: number,
): string | undefined {
  const identity = peer.isApid ? namedCaller(headerValues(call.headers, metadataKeys.caller)) : peer.identity;
  const apid = peer.isApid ? peer.identity : undefined;
  const granted = gateway.shares.take(
    { identity, apid, roles: record.caller?.roles ?? [] },
    weight,
    gateway.now(),
  );
  if ('refusal' in granted) return granted.refusal;
  const { lane, leave } = gateway.lanes.enter(identity ?? peer.identity);
  record.identity = identity;
  record.share = granted.share;
  record.lane = lane;
  record.leaveLane = leave;
  record.queue = identity ?? peer.identity;
  return undefined;
}

function forwardOrFail(
  gateway: Gateway,
  call: InboundCall,
  hop: Parameters<typeof forwardOne>[2],
  record: CallRecord,
): void {
  forwardOne(gateway, call, hop, record).catch((error: unknown) => failInside(call, record, error));
}

/** A bug in one call must not affect other calls. */
function failInside(call: InboundCall, record: CallRecord, error: unknown): void {
  const status = record.failInside(error);
  refuseCall(call, status, 200);
  // Has an effect only when response headers were already sent.
  call.finish(statusTrailers(status));
  record.finish(status);
}

function refuseCall(call: InboundCall, status: GrpcStatus, httpStatus: number): void {
  call.respond(
    [':status', String(httpStatus), 'content-type', 'application/grpc', ...statusTrailers(status)],
    true,
  );
}
