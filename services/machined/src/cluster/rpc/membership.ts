import type {
  MembershipServiceImplementation,
  ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { withheldNames } from '../domain/check-certificate.ts';
import { type LinkTiming, longestAnswerMs } from '../host/link-timing.ts';
import type { NodeRegistry } from '../host/node-registry.ts';

export interface MembershipServiceInit {
  readonly registry: NodeRegistry;
  readonly timing: LinkTiming;
  /** Ends the calls that wait when the node stops. */
  readonly stopSignal: AbortSignal;
}

/** Keeps the records of nodes that cannot write to etcd, and tells them who else lives. For trustd alone. */
export function createMembershipService({
  registry,
  timing,
  stopSignal,
}: MembershipServiceInit): MembershipServiceImplementation {
  return {
    async report(request, { signal }): Promise<ReportResponse> {
      await registry.report(request, signal);
      const rest = AbortSignal.any([signal, stopSignal, AbortSignal.timeout(longestAnswerMs(timing))]);
      while (registry.version() === request.knownVersion && !rest.aborted) await registry.nextChange(rest);
      return {
        nodes: [...(registry.nodes() ?? [])],
        leaseSeconds: timing.leaseSeconds,
        version: registry.version(),
      };
    },
    async checkCertificate(request) {
      const own = registry.own();
      const others = (registry.nodes() ?? []).filter(({ nodeId }) => nodeId !== own?.nodeId);
      const known = own === undefined ? others : [own, ...others];
      return { withheldNames: withheldNames(request, { known, virtual: registry.virtualAddresses() }) };
    },
  };
}
