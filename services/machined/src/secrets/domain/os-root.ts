import type { EffectiveConfig } from '@nodewright/machine-config';
import type { OsRootSecretSpec } from '@nodewright/state/kinds';
import { isIpAddress } from '../../base/domain/is-ip-address.ts';

/**
 * The root of trust of the node from its configuration: the issuing CA, the accepted CAs, and additional
 * names of the node. Undefined when the configuration has no CA. Source: Talos v1.14: OSRootSecrets,
 * construction.
 */
export function osRootFrom(
  config: Pick<EffectiveConfig, 'machineType' | 'token' | 'issuingCA' | 'acceptedCAs' | 'certSANs'>,
): OsRootSecretSpec | undefined {
  const { machineType, token, issuingCA, certSANs } = config;
  const accepted = new Set([...config.acceptedCAs, ...(issuingCA ? [issuingCA.certificate] : [])]);
  if (accepted.size === 0) return undefined;
  const names = certSANs.map(withoutLastDot).filter((name) => name !== '');
  const signs = machineType === 'controlplane' || machineType === 'init';
  return {
    issuingCA:
      signs && issuingCA?.key !== undefined ? { crt: issuingCA.certificate, key: issuingCA.key } : undefined,
    acceptedCAs: [...accepted].map((crt) => ({ crt })),
    certSANIPs: names.filter(isIpAddress),
    certSANDNSNames: names.filter((name) => !isIpAddress(name)),
    token,
  };
}

const withoutLastDot = (name: string) => name.replace(/\.$/, '');
