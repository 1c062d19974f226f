/** How a field contains its secret. */
export type SecretForm =
  /** The field is the secret. */
  | 'text'
  /** The field is the base64 of the secret. */
  | 'base64'
  /** The secret is the URL parameter `jointoken`. */
  | 'join-token'
  /** The secret is the password of a URL, or of a proxy without a scheme. */
  | 'url-password'
  /** The secrets are the values of all keys `secret` in a free-form object. */
  | 'secrets-inside';

export interface SecretField {
  readonly kind: string;
  /** Keys; `*` matches every element of a list and every value of a map. */
  readonly path: readonly string[];
  readonly form: SecretForm;
}

/**
 * Each line is `Kind: form path path ...`. Source: Talos v1.14: machine configuration, redaction, extended by
 * the passwords of proxies.
 */
const lines = `
v1alpha1: text machine.token machine.registries.config.*.auth.password machine.registries.config.*.auth.auth
v1alpha1: text machine.registries.config.*.auth.identityToken
v1alpha1: base64 machine.ca.key machine.registries.config.*.tls.clientIdentity.key
v1alpha1: text machine.network.interfaces.*.wireguard.privateKey
v1alpha1: text machine.network.interfaces.*.vip.equinixMetal.apiToken machine.network.interfaces.*.vip.hcloud.apiToken
v1alpha1: text machine.network.interfaces.*.vlans.*.vip.equinixMetal.apiToken
v1alpha1: text machine.network.interfaces.*.vlans.*.vip.hcloud.apiToken
v1alpha1: text machine.systemDiskEncryption.state.keys.*.static.passphrase
v1alpha1: text machine.systemDiskEncryption.ephemeral.keys.*.static.passphrase
v1alpha1: text cluster.secret cluster.token cluster.aescbcEncryptionSecret cluster.secretboxEncryptionSecret
v1alpha1: base64 cluster.ca.key cluster.aggregatorCA.key cluster.serviceAccount.key cluster.etcd.ca.key
v1alpha1: url-password machine.env.*
EnvironmentConfig: url-password variables.*
DiscoveryIdentityConfig: text clusterSecret
HCloudVIPConfig: text apiToken
RegistryAuthConfig: text password auth identityToken
RegistryTLSConfig: text clientIdentity.key
VolumeConfig: text encryption.keys.*.static.passphrase
UserVolumeConfig: text encryption.keys.*.static.passphrase
RawVolumeConfig: text encryption.keys.*.static.passphrase
SwapVolumeConfig: text encryption.keys.*.static.passphrase
SideroLinkConfig: join-token apiUrl
SideroLinkConfig: text uniqueToken
KubeAPIServerCAConfig: text issuingCA.key
KubeAggregatorCAConfig: text issuingCA.key
KubeServiceAccountConfig: text issuer.privateKey
KubeEtcdEncryptionConfig: secrets-inside config
WireguardConfig: text privateKey peers.*.presharedKey
`;

/** All fields that contain secrets. */
export const secretFields: readonly SecretField[] = lines
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [kind = '', form = '', ...paths] = line.replace(':', '').split(' ');
    return paths.map((path) => ({ kind, form: form as SecretForm, path: path.split('.') }));
  });
