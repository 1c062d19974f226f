// The version of the secret files. Only the API server reads the encryption of resources in etcd, so a change of it replaces no other pod.

interface Versioned {
  readonly version: bigint | number | string;
}

/** `<version of the kubeconfigs>.<version of the encryption>` */
export function secretsVersion(kubeconfigs: Versioned, encryption: Versioned): string {
  return `${kubeconfigs.version}.${encryption.version}`;
}

/** The part of a version that concerns components other than the API server. */
export function withoutEncryption(version: string): string {
  return version.split('.')[0] ?? version;
}
