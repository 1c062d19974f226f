import { metadataKeys, methodRule } from '@nodewright/contract';
import type { FaultKind } from '@nodewright/fault';
import { hasHeader, headerValue, headerValues, isGrpcContentType, parseGrpcTimeout } from '@nodewright/h2';
import { namedCaller } from '../domain/caller-identity.ts';
import { checkRequest } from '../domain/check-request.ts';
import { gatewayShares, strangerLimits } from '../domain/limits.ts';
import { mayCall, rolesKey } from '../domain/may-call.ts';
import { maxRequestBytes } from '../domain/request-limit.ts';
import {
  type CallerRoles,
  rolesFromCertificate,
  rolesInMaintenance,
  rolesOfStranger,
} from '../domain/roles.ts';
import { type Route, type RoutingNode, routeRequest } from '../domain/route-request.ts';

/** The facts about this node that decide about a call. */
export interface PlanningNode {
  readonly readonlyRoleMode: boolean;
  readonly nodeRoutingDisabled: boolean;
  /** Why this worker has no certificate of its cluster; undefined when it does not wait for one. */
  readonly waitsFor: string | undefined;
  /** The client certificate of a control plane. */
  readonly client: unknown;
  readonly localTargets: RoutingNode['localTargets'];
}

/** The facts about the client's connection that decide about a call. */
export interface PlanningPeer {
  readonly organizations: readonly string[];
  readonly identity: string;
  readonly hasCertificate: boolean;
  readonly isApid: boolean;
}

/** The parts of a request that decide about it. */
export interface PlannedRequest {
  readonly headers: readonly string[];
  readonly method: string;
  readonly path: string;
}

/** Why a call is refused. */
export interface Refusal {
  readonly kind: 'refused';
  readonly fault: FaultKind;
  readonly message: string;
  readonly httpStatus: number;
}

/** Everything that follows from the headers of a call, its connection and this node. */
export interface CallPlan {
  /** Undefined for a call that was refused before its caller mattered. */
  readonly caller: CallerRoles | undefined;
  /** The timeout that the client set, in milliseconds. */
  readonly timeoutMs: number | undefined;
  readonly route: Exclude<Route, { kind: 'refused' }> | Refusal;
  /** The roles that count for the limits. */
  readonly rolesKey: string;
  /** The caller's identity, for the limits; undefined when the apid that forwards the call names none. */
  readonly identity: string | undefined;
  /** Identity of the apid that forwards the call; undefined when the client calls this apid directly. */
  readonly apid: string | undefined;
  /** Largest message of the request, in bytes. */
  readonly maxRequestBytes: number;
  /** Number of the field of the request that says whether the call has an end; undefined when the method alone says it. */
  readonly followField?: number | undefined;
}

/** Decides about a call: validates the request, determines the caller's roles and the route. */
export function planCall(request: PlannedRequest, node: PlanningNode, peer: PlanningPeer): CallPlan {
  const { headers, method, path } = request;
  const contentType = headerValue(headers, 'content-type');
  const wrong = checkRequest(method, path, contentType, isGrpcContentType(contentType));
  if (wrong !== undefined) return refused(wrong.fault, wrong.message, wrong.httpStatus);
  const timeout = headerValue(headers, 'grpc-timeout');
  const timeoutMs = timeout === undefined ? undefined : parseGrpcTimeout(timeout);
  if (timeout !== undefined && timeoutMs === undefined)
    return refused('internal', `malformed grpc-timeout: ${JSON.stringify(timeout)}`);
  if (node.waitsFor !== undefined && !node.readonlyRoleMode && !peer.hasCertificate)
    return planForStranger(path, node.waitsFor, timeoutMs, peer);
  const caller = node.readonlyRoleMode
    ? rolesInMaintenance()
    : rolesFromCertificate(peer.organizations, headerValues(headers, metadataKeys.role));
  const known = { caller, timeoutMs };
  if (!mayCall(path, caller.roles, node.readonlyRoleMode))
    return { ...refused('permission-denied', 'not authorized'), ...known };
  const route = routeRequest(
    {
      fullMethod: path,
      node: headerValues(headers, metadataKeys.node),
      nodes: headerValues(headers, metadataKeys.nodes),
      proxied: hasHeader(headers, metadataKeys.proxyFrom),
    },
    {
      nodeRoutingDisabled: node.nodeRoutingDisabled,
      canForward: node.client !== undefined,
      localTargets: node.localTargets,
      maxTargets: gatewayShares.nodesPerCall,
    },
  );
  if (route.kind === 'refused') return { ...refused(route.fault, route.message), ...known };
  return {
    ...known,
    route,
    rolesKey: rolesKey(caller.roles),
    identity: peer.isApid ? namedCaller(headerValues(headers, metadataKeys.caller)) : peer.identity,
    apid: peer.isApid ? peer.identity : undefined,
    maxRequestBytes: maxRequestBytes(path, caller.roles),
    followField: followField(path),
  };
}

function followField(path: string): number | undefined {
  const endless = methodRule(path)?.endless;
  return typeof endless === 'object' ? endless.ifField : undefined;
}

/** The only method that a worker answers to a client without a certificate while it waits for its own. */
const strangersMethod = '/machine.MachineService/Version';

/**
 * Plans a call of a client without a certificate. It never leaves this node, whatever its metadata name, and its time is limited, whatever
 * the client asks for.
 */
function planForStranger(
  path: string,
  waitsFor: string,
  wantedMs: number | undefined,
  { identity }: PlanningPeer,
): CallPlan {
  const caller = rolesOfStranger();
  const timeoutMs = Math.min(wantedMs ?? strangerLimits.callMs, strangerLimits.callMs);
  if (path !== strangersMethod) {
    const message = `without a client certificate this node answers only Version: ${waitsFor}`;
    return { ...refused('unavailable', message), caller, timeoutMs };
  }
  return {
    ...{ caller, timeoutMs, route: { kind: 'local' }, rolesKey: rolesKey(caller.roles), identity },
    ...{ apid: undefined, maxRequestBytes: maxRequestBytes(path, caller.roles) },
  };
}

/** The plan of a call that is refused. */
export function refused(fault: FaultKind, message: string, httpStatus = 200): CallPlan {
  return {
    caller: undefined,
    timeoutMs: undefined,
    route: { kind: 'refused', fault, message, httpStatus },
    rolesKey: '',
    identity: undefined,
    apid: undefined,
    maxRequestBytes: 0,
  };
}
