import type {
  MembershipServiceImplementation,
  ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { withheldFrom } from '../domain/check-certificate.ts';
import { type LinkTiming, longestAnswerMs } from '../host/link-timing.ts';
import type { NodeRegistry } from '../host/node-registry.ts';

export interface MembershipServiceInit {
  readonly registry: NodeRegistry;
  readonly timing: LinkTiming;
  /** Aborts when the node stops, and ends the calls that wait. */
  readonly stopSignal: AbortSignal;
}

/**
 * Keeps the records of workers, which cannot write to etcd, and returns the list of live nodes to them. For
 * trustd only.
 */
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
      const controlPlanes = registry.controlPlanes().filter(({ record }) => record.nodeId !== own?.nodeId);
      return withheldFrom(request, { known, controlPlanes, reserved: registry.reserved() });
    },
  };
}
