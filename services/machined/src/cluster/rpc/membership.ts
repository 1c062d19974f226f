import type {
  MembershipServiceImplementation,
  ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { withheldFrom } from '../domain/check-certificate.ts';
import { knownNodes } from '../host/known-nodes.ts';
import { type LinkTiming, longestAnswerMs } from '../host/link-timing.ts';
import type { NodeRegistry } from '../host/node-registry.ts';

export interface MembershipServiceInit {
  readonly registry: NodeRegistry;
  readonly timing: LinkTiming;
  /** Whether this node has data of etcd, so that its cluster has names that may be taken. */
  readonly hasEtcdData: () => Promise<boolean>;
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
  hasEtcdData,
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
      return withheldFrom(request, await knownNodes(registry, hasEtcdData));
    },
  };
}
