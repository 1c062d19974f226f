import { type InboundCall, isRepeated, keepEncoding, loggedMetadata, type RawHeaders } from '@nodewright/h2';
import { type EncodedFields, encodeFields } from '@nodewright/telemetry';
import type { GatewayIdentity } from '../domain/gateway-identity.ts';
import { keptPlans } from '../domain/limits.ts';
import { unknownRoles } from '../domain/roles.ts';
import type { GatewayPeer } from './gateway.ts';
import { type CallPlan, planCall } from './plan-call.ts';

/** Metadata that is not logged: the log field `peer` has the real address of the connection. */
const notLogged: ReadonlySet<string> = new Set(['peer']);

/** A plan, with what its calls have in common. */
export class PlannedCall {
  readonly plan: CallPlan;
  readonly identity: GatewayIdentity;
  readonly peer: GatewayPeer;
  readonly #call: Pick<InboundCall, 'headers' | 'path'>;
  #logFields: EncodedFields | undefined;
  #hopHeaders: RawHeaders | undefined;

  constructor(
    plan: CallPlan,
    identity: GatewayIdentity,
    peer: GatewayPeer,
    call: Pick<InboundCall, 'headers' | 'path'>,
  ) {
    this.plan = plan;
    this.identity = identity;
    this.peer = peer;
    this.#call = { headers: call.headers, path: call.path };
  }

  /** The fields that the log lines about these calls have in common. */
  get logFields(): EncodedFields {
    this.#logFields ??= encodeFields(this.#facts());
    return this.#logFields;
  }

  /** The headers for the next hop, when nothing in them changes from call to call. */
  hopHeaders(build: () => RawHeaders): RawHeaders {
    if (this.#hopHeaders === undefined) {
      this.#hopHeaders = build();
      if (isRepeated(this.#call.headers)) keepEncoding(this.#hopHeaders);
    }
    return this.#hopHeaders;
  }

  #facts() {
    const { caller } = this.plan;
    const unknown = unknownRoles(caller?.roles ?? []);
    return {
      method: this.#call.path,
      peer: this.peer.name,
      roles: caller?.roles,
      rolesFrom: caller?.source,
      ...(caller?.source === 'metadata' ? { organizations: this.peer.organizations } : {}),
      ...(unknown.length === 0 ? {} : { unknownRoles: unknown }),
      metadata: loggedMetadata(this.#call.headers, notLogged),
    };
  }
}

/**
 * Plans calls, and keeps the plans of calls whose headers repeat, while their connection and this node are the
 * same.
 */
export class CallPlans {
  /** The oldest first. */
  readonly #planned = new Map<RawHeaders, PlannedCall>();

  of(call: InboundCall, peer: GatewayPeer, identity: GatewayIdentity): PlannedCall {
    const { headers } = call;
    const known = this.#planned.get(headers);
    if (known !== undefined && known.peer === peer && known.identity === identity) return known;
    const planned = new PlannedCall(planCall(call, identity, peer), identity, peer, call);
    if (isRepeated(headers)) this.#keep(headers, planned);
    return planned;
  }

  /** Forgets the plans of a connection that is closed. Each of them would keep the connection and its buffers in memory. */
  forget(peer: GatewayPeer): void {
    for (const [headers, planned] of this.#planned) if (planned.peer === peer) this.#planned.delete(headers);
  }

  /** Number of plans that are kept, for tests. */
  get size(): number {
    return this.#planned.size;
  }

  #keep(headers: RawHeaders, planned: PlannedCall): void {
    this.#planned.set(headers, planned);
    if (this.#planned.size <= keptPlans) return;
    const [oldest] = this.#planned.keys();
    if (oldest !== undefined) this.#planned.delete(oldest);
  }
}
