import type {
  ApiCertificateSpec,
  ApiServiceConfigSpec,
  ApiWaitSpec,
  HostnameStatusSpec,
  MemberSpec,
  NodeAddressSpec,
} from '@nodewright/state/kinds';
import { endOfServer, isIssued } from './issued-certificate.ts';

/** What apid reads from the node's state. Source: Talos v1.14: resource access granted to apid. */
export interface ServiceFacts {
  /** Where and in which mode apid listens; without it apid does not listen. */
  readonly config: ApiServiceConfigSpec | undefined;
  readonly certificates: ApiCertificateSpec | undefined;
  /** Why a worker has no certificate of its cluster; undefined on every other node. */
  readonly wait: ApiWaitSpec | undefined;
  readonly hostname: HostnameStatusSpec | undefined;
  readonly addresses: NodeAddressSpec | undefined;
  readonly members: readonly MemberSpec[];
}

/** Facts that are complete enough to serve. */
export type UsableFacts = ServiceFacts & {
  readonly config: ApiServiceConfigSpec;
  readonly certificates: ApiCertificateSpec;
};

/**
 * Merges `next` into the facts known before. Removed certificates stay in use. A removed configuration is
 * dropped only when `isSameState` is true: a machined that has just restarted may not have published it yet.
 * For the same reason a worker that has its certificate keeps it when a restarted machined has none yet, until it ends.
 *
 * @param nowMs Unix time, as the certificates have it
 */
export function factsAfter(
  before: ServiceFacts | undefined,
  next: ServiceFacts,
  isSameState: boolean,
  nowMs: number,
): ServiceFacts {
  return {
    ...next,
    config: next.config ?? (isSameState ? undefined : before?.config),
    certificates: certificatesAfter(before, next.certificates, nowMs),
  };
}

/** The certificates of these facts when machined publishes `next`. */
export function certificatesAfter(
  before: ServiceFacts | undefined,
  next: ApiCertificateSpec | undefined,
  nowMs: number,
): ApiCertificateSpec | undefined {
  const known = before?.certificates;
  if (next === undefined || known === undefined || before?.config === undefined) return next ?? known;
  const isWorker = known.client === undefined && next.client === undefined;
  const isVerified = !known.skipVerifyingClientCert && !next.skipVerifyingClientCert;
  if (!isWorker || !isVerified || known.server?.crt === next.server?.crt) return next;
  const { acceptedCAs } = next;
  const isValid = nowMs < (endOfServer(known) ?? 0) && isIssued({ ...known, acceptedCAs });
  return isValid && !isIssued(next) ? { ...known, acceptedCAs } : next;
}

/** When the certificate ends that is kept although `published` is another one, as Unix time in ms; undefined when none is kept. */
export function endOfKept(
  { certificates }: ServiceFacts,
  published: ApiCertificateSpec | undefined,
): number | undefined {
  if (published === undefined || certificates === undefined) return undefined;
  return certificates.server?.crt === published.server?.crt ? undefined : endOfServer(certificates);
}

/**
 * Returns `undefined` when apid must not serve. Certificates of one mode are not valid in the other: while
 * the node leaves maintenance, apid serves nothing for a moment. Source: Talos v1.14: APIServiceConfig,
 * leaving maintenance.
 */
export function usableFacts(facts: ServiceFacts): UsableFacts | undefined {
  const { config, certificates } = facts;
  if (config === undefined || certificates === undefined) return undefined;
  if (config.skipVerifyingClientCert !== certificates.skipVerifyingClientCert) return undefined;
  return { ...facts, config, certificates };
}
