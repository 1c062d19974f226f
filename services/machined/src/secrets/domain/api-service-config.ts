import type {
  ApiCertificateSpec,
  ApiServiceConfigSpec,
  MaintenanceServiceConfigSpec,
} from '@nodewright/state/kinds';

export interface ApiServiceFacts {
  /** Whether the node is in maintenance: there is a request for it that is not being torn down. */
  readonly isMaintenance: boolean;
  readonly maintenance: MaintenanceServiceConfigSpec | undefined;
  readonly certificates: Pick<ApiCertificateSpec, 'skipVerifyingClientCert'> | undefined;
  /** `host:port` on which apid listens when the node is not in maintenance. */
  readonly listenAddress: string;
}

/**
 * The listener settings of apid; undefined when it must not listen. Source: Talos v1.14: APIServiceConfig.
 */
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
  // The maintenance certificates admit every client, so they must not be used after it.
  if (certificates === undefined || certificates.skipVerifyingClientCert) return undefined;
  return {
    listenAddress,
    nodeRoutingDisabled: false,
    readonlyRoleMode: false,
    skipVerifyingClientCert: false,
  };
}
