import { Fault } from '@nodewright/fault';

/**
 * The Talos version for which output is generated. Only major and minor matter.
 *
 * Source: Talos v1.14: machine configuration, version contracts.
 */
export interface VersionContract {
  readonly major: number;
  readonly minor: number;
}

export const oldestContract: VersionContract = { major: 1, minor: 0 };
export const currentContract: VersionContract = { major: 1, minor: 15 };
/**
 * The newest accepted version. Versions after the current contract are not released; their output is that of
 * the current contract.
 */
export const newestContract: VersionContract = { major: 1, minor: currentContract.minor + 2 };

/**
 * Parses `v1.13`, `1.13` and longer forms such as `v1.13.0-beta.1`. An empty text means the current contract.
 *
 * @throws Fault `invalid-argument` for a malformed or unsupported version
 */
export function parseVersionContract(text: string): VersionContract {
  if (text === '') return currentContract;
  const match = /^v?(\d{1,5})\.(\d{1,5})(?:[.+-].+)?$/.exec(text);
  if (!match)
    throw new Fault(
      'invalid-argument',
      `error parsing version ${JSON.stringify(text)}: use a form like v1.14`,
    );
  const contract = { major: Number(match[1]), minor: Number(match[2]) };
  if (isBefore(contract, oldestContract) || isBefore(newestContract, contract)) {
    const known = `${formatContract(oldestContract)} to ${formatContract(newestContract)}`;
    throw new Fault(
      'invalid-argument',
      `unsupported version ${JSON.stringify(text)}: supported are ${known}`,
    );
  }
  return contract;
}

/** `v1.14`. */
export function formatContract(contract: VersionContract): string {
  return `v${contract.major}.${contract.minor}`;
}

function isBefore(a: VersionContract, b: VersionContract): boolean {
  return a.major < b.major || (a.major === b.major && a.minor < b.minor);
}

/** For each feature, the minor version of the last 1.x contract whose output does not have it. */
const lastWithout = {
  /** Separate documents for Kubernetes, installation, discovery and more. */
  kubernetesDocuments: 13,
  /** Cluster IDs in the standard base64 alphabet instead of the URL-safe one. */
  standardClusterId: 13,
  kubeSpanDocument: 12,
  /** More than one document: host name and registries. */
  documents: 11,
  /** Features that are written until 1.11 and are always on in later versions. */
  impliedFeatures: 11,
  grubUseUKICmdline: 11,
  forwardKubeDNS: 7,
  loadBalancerLabel: 7,
  clusterNameOnWorkers: 7,
  hostDNS: 6,
  rsaServiceAccountKey: 6,
  kubePrism: 5,
  diskQuota: 4,
  secretbox: 2,
  auditPolicy: 2,
  disableManifestsDirectory: 2,
  extKeyUsageCheck: 2,
  stableHostname: 1,
  schedulingOnControlPlanesKey: 1,
  disabledKubernetesRegistry: 1,
  seccompProfile: 1,
  podSecurity: 0,
} as const;

export type ContractFeature = keyof typeof lastWithout;

/** Whether output for the contract has the feature. */
export function contractHas(contract: VersionContract, feature: ContractFeature): boolean {
  return contract.major > 1 || contract.minor > lastWithout[feature];
}
