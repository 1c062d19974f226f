import { Fault } from '@nodewright/fault';

/** A request for another client's certificate. */
export interface ClientConfigurationRequest {
  /** The organisations of the certificate, known roles or not. */
  readonly roles: readonly string[];
  /** The requested lifetime; `undefined` when the request has none. */
  readonly ttl: { readonly seconds: bigint; readonly nanos: number } | undefined;
}

export interface ClientConfigurationPlan {
  /** Sorted, without duplicates. */
  readonly organizations: readonly string[];
  readonly lifetimeHours: number;
  readonly contextName: string;
}

const latestEnd = Date.UTC(9999, 11, 31);

/**
 * The contents of the new certificate and its context. A context for a single role is named after it. Source:
 * Talos v1.14: GenerateClientConfiguration.
 *
 * @throws Fault `invalid-argument` for a lifetime that is not positive, or that no certificate can have.
 */
export function planClientConfiguration(
  { roles, ttl }: ClientConfigurationRequest,
  clusterName: string,
  nowMs: number,
): ClientConfigurationPlan {
  const ttlMs = ttl === undefined ? 0 : Number(ttl.seconds) * 1000 + ttl.nanos / 1e6;
  if (ttlMs <= 0) throw new Fault('invalid-argument', 'crt_ttl should be positive');
  if (nowMs + ttlMs > latestEnd) {
    throw new Fault('invalid-argument', 'crt_ttl is too long: no certificate is valid after the year 9999');
  }
  const organizations = [...new Set(roles)].sort();
  const [only, ...others] = organizations;
  return {
    organizations,
    lifetimeHours: ttlMs / 3_600_000,
    contextName:
      only === undefined || others.length > 0 ? clusterName : `${only.replace(/^os:/, '')}@${clusterName}`,
  };
}
