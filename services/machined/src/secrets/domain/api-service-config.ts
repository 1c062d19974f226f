import type {
  ApiCertificateSpec,
  ApiServiceConfigSpec,
  MaintenanceServiceConfigSpec,
} from '@nodewright/state/kinds';

export interface ApiServiceFacts {
  /** The node is in maintenance: somebody asks for it and does not take it back. */
  readonly isMaintenance: boolean;
  readonly maintenance: MaintenanceServiceConfigSpec | undefined;
  readonly certificates: Pick<ApiCertificateSpec, 'skipVerifyingClientCert'> | undefined;
  /** host:port outside of maintenance. */
  readonly listenAddress: string;
}

/** How apid is to serve; undefined when it must be silent. Source: Talos v1.14: APIServiceConfig. */
export function apiServiceConfig(facts: ApiServiceFacts): ApiServiceConfigSpec | undefined {
  const { isMaintenance, maintenance, certificates, listenAddress } = facts;
  if (isMaintenance) {
    return (
      maintenance && {
        listenAddress: maintenance.listenAddress,
        nodeRoutingDisabled: true,
        readonlyRoleMode: true,
        skipVerifyingClientCert: true,
      }
    );
  }
  // Those of maintenance let everybody in: no use for them once it is over.
  if (certificates === undefined || certificates.skipVerifyingClientCert) return undefined;
  return {
    listenAddress,
    nodeRoutingDisabled: false,
    readonlyRoleMode: false,
    skipVerifyingClientCert: false,
  };
}
