import type {
  ApiCertificateSpec,
  ApiServiceConfigSpec,
  HostnameStatusSpec,
  MemberSpec,
  NodeAddressSpec,
} from '@nodewright/state/kinds';

/** What the state of the node tells apid. Source: Talos v1.14: resource access granted to apid. */
export interface ServiceFacts {
  /** How to serve; without it apid is silent. */
  readonly config: ApiServiceConfigSpec | undefined;
  readonly certificates: ApiCertificateSpec | undefined;
  readonly hostname: HostnameStatusSpec | undefined;
  readonly addresses: NodeAddressSpec | undefined;
  readonly members: readonly MemberSpec[];
}

/** Facts to serve by. */
export type UsableFacts = ServiceFacts & {
  readonly config: ApiServiceConfigSpec;
  readonly certificates: ApiCertificateSpec;
};

/**
 * What holds once `next` is known. Certificates that are gone stay in use. A configuration that was removed is gone; one
 * that a machined which has just started does not know yet is not: `isSameState` tells the two apart.
 */
export function factsAfter(
  before: ServiceFacts | undefined,
  next: ServiceFacts,
  isSameState: boolean,
): ServiceFacts {
  return {
    ...next,
    config: next.config ?? (isSameState ? undefined : before?.config),
    certificates: next.certificates ?? before?.certificates,
  };
}

/**
 * Undefined when apid must not serve. Certificates for the one mode are of no use in the other: between the two there
 * is a moment in which apid serves nothing. Source: Talos v1.14: APIServiceConfig, leaving maintenance.
 */
export function usableFacts(facts: ServiceFacts): UsableFacts | undefined {
  const { config, certificates } = facts;
  if (config === undefined || certificates === undefined) return undefined;
  if (config.skipVerifyingClientCert !== certificates.skipVerifyingClientCert) return undefined;
  return { ...facts, config, certificates };
}
