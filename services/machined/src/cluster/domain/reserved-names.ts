import type { AffiliateSpec, EndpointSpec, OsRootSecretSpec } from '@nodewright/state/kinds';
import { canonicalAddress, isEveryMachines } from './canonical-address.ts';

/**
 * Names and addresses that lead to the control planes although no single node has them. They are never in
 * the certificate of a worker.
 */
export interface Reserved {
  /** In the form of `comparedName()`. A wildcard stands for all names with one label in its place. */
  readonly names: ReadonlySet<string>;
  /** Canonical. */
  readonly addresses: ReadonlySet<string>;
}

/** A name in the form in which TLS clients compare it: in lower case, without a last dot. */
export const comparedName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** Whether a name is in the set or matches a wildcard of it as TLS clients match them. */
export function isReservedName({ names }: Reserved, name: string): boolean {
  const compared = comparedName(name);
  const dot = compared.indexOf('.');
  return names.has(compared) || (dot > 0 && names.has(`*${compared.slice(dot)}`));
}

/**
 * What is reserved because of the configuration of this control plane: its additional names for certificates,
 * the endpoint of the cluster, and virtual addresses. What every machine has is left out.
 */
export function reservedFrom(facts: {
  readonly endpoints: readonly EndpointSpec[];
  readonly certSans: Pick<OsRootSecretSpec, 'certSANIPs' | 'certSANDNSNames'> | undefined;
  /** Canonical. */
  readonly virtual: ReadonlySet<string>;
  /** Control planes of which only the name is known. */
  readonly controlPlanes?: readonly Pick<AffiliateSpec, 'hostname' | 'nodename'>[];
}): Reserved {
  const { endpoints, certSans, virtual, controlPlanes = [] } = facts;
  const names = [
    ...endpoints.flatMap(({ hosts }) => hosts),
    ...(certSans?.certSANDNSNames ?? []),
    // Also for short, as of a control plane that has a record.
    ...controlPlanes.flatMap(({ hostname, nodename }) => [
      ...[hostname, nodename],
      hostname.split('.', 1)[0] ?? '',
    ]),
  ];
  const texts = [...endpoints.flatMap(({ addresses }) => addresses), ...(certSans?.certSANIPs ?? [])];
  const addresses = texts.map((text) => canonicalAddress(text)).filter((each) => each !== undefined);
  return {
    names: new Set(
      names.map(comparedName).filter((name) => name !== '' && name !== 'localhost' && !isEveryMachines(name)),
    ),
    addresses: new Set([...virtual, ...addresses].filter((address) => !isEveryMachines(address))),
  };
}
