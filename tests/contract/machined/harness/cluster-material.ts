import { generateConfig, generateSecrets, type SecretsBundle } from '@nodewright/machine-config';
import { encodePrivateKey, generateCertificateAuthority, generateKey } from '@nodewright/pki';

/** Secrets of a cluster. The key for service accounts is of a fast kind, because no test signs with it. */
export function clusterSecrets(): Promise<SecretsBundle> {
  return generateSecrets({
    now: new Date(),
    keys: {
      certificateAuthority: generateCertificateAuthority,
      serviceAccountKey: async () => ({
        key: encodePrivateKey((await generateKey('ecdsa-p256')).privateKey),
      }),
    },
  });
}

export interface NodeConfigInit {
  readonly secrets: SecretsBundle;
  readonly type: 'controlplane' | 'worker';
  /** Address of the control plane from which a worker requests its certificate. */
  readonly controlPlaneAddress: string;
  /** `host:port`; always set, so that no test contacts public time servers. */
  readonly timeServer: string;
}

/** The machine configuration that `talosctl gen config` would write. */
export function nodeConfig({ secrets, type, controlPlaneAddress, timeServer }: NodeConfigInit): string {
  const endpoint = `https://${controlPlaneAddress}:6443`;
  const config = generateConfig({ secrets, type, clusterName: 'contract', endpoint });
  return `${config}---\napiVersion: v1alpha1\nkind: TimeSyncConfig\nntp:\n    servers:\n        - ${timeServer}\n`;
}
