import type { ApiServerConfigSpec, KubernetesRootSecretSpec } from '@nodewright/state/kinds';
import { versionOfImage } from './image-version.ts';
import { type Flags, mergeArguments } from './merge-arguments.ts';
import { podPaths } from './pod-paths.ts';

const secrets = podPaths.secrets('kube-apiserver');
const config = podPaths.config('kube-apiserver');

/** The part of the root secrets that is in the arguments. None of it is secret. */
export type ApiServerIdentity = Pick<
  KubernetesRootSecretSpec,
  'issuerURL' | 'acceptedIssuers' | 'apiAudiences'
>;

/** Flags with files of certificates and keys, and what they depend on. */
const files: Flags = {
  'admission-control-config-file': `${config}/admission-control-config.yaml`,
  'client-ca-file': `${secrets}/ca.crt`,
  'requestheader-client-ca-file': `${secrets}/aggregator-ca.crt`,
  'proxy-client-cert-file': `${secrets}/front-proxy-client.crt`,
  'proxy-client-key-file': `${secrets}/front-proxy-client.key`,
  'encryption-provider-config': `${secrets}/encryptionconfig.yaml`,
  'audit-policy-file': `${config}/auditpolicy.yaml`,
  'etcd-cafile': `${secrets}/etcd-client-ca.crt`,
  'etcd-certfile': `${secrets}/etcd-client.crt`,
  'etcd-keyfile': `${secrets}/etcd-client.key`,
  'kubelet-client-certificate': `${secrets}/apiserver-kubelet-client.crt`,
  'kubelet-client-key': `${secrets}/apiserver-kubelet-client.key`,
  'service-account-key-file': `${secrets}/service-account.pub`,
  'service-account-signing-key-file': `${secrets}/service-account.key`,
  'tls-cert-file': `${secrets}/apiserver.crt`,
  'tls-private-key-file': `${secrets}/apiserver.key`,
};

const rules = {
  component: 'kube-apiserver',
  program: '/usr/local/bin/kube-apiserver',
  additive: new Set(['enable-admission-plugins', 'feature-gates', 'authorization-mode']),
  denied: new Set([
    ...Object.keys(files).filter(
      (name) => !['admission-control-config-file', 'audit-policy-file'].includes(name),
    ),
    ...['etcd-servers', 'tls-min-version', 'authorization-config'],
  ]),
};

/**
 * The command line of kube-apiserver. Source: Talos v1.14: kube-apiserver, arguments.
 *
 * @throws Fault `invalid-argument` for a flag that the configuration must not set
 */
export function apiServerArguments(spec: ApiServerConfigSpec, identity: ApiServerIdentity): string[] {
  return mergeArguments({ ...ownFlags(spec, identity), ...authorization(spec) }, spec.extraArgs, rules);
}

function ownFlags(spec: ApiServerConfigSpec, identity: ApiServerIdentity): Flags {
  const isOld = versionOfImage(spec.image).minor < 33;
  return {
    ...files,
    'allow-privileged': 'true',
    'api-audiences': identity.apiAudiences.join(','),
    'bind-address': '0.0.0.0',
    'enable-admission-plugins': 'NodeRestriction',
    'requestheader-allowed-names': 'front-proxy-client',
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-username-headers': 'X-Remote-User',
    'enable-bootstrap-token-auth': 'true',
    'tls-min-version': 'VersionTLS13',
    'audit-log-path': `${podPaths.audit}/kube-apiserver.log`,
    'audit-log-maxage': '30',
    'audit-log-maxbackup': '10',
    'audit-log-maxsize': '100',
    profiling: 'false',
    'etcd-servers': spec.etcdServers.join(','),
    'kubelet-preferred-address-types': 'InternalIP,ExternalIP,Hostname',
    'secure-port': String(spec.localPort),
    'service-account-issuer': [identity.issuerURL, ...identity.acceptedIssuers],
    'service-cluster-ip-range': spec.serviceCIDR.join(','),
    ...(spec.advertisedAddress !== '' && { 'advertise-address': spec.advertisedAddress }),
    ...(spec.useAuthenticationConfig
      ? { 'authentication-config': `${config}/authentication-config.yaml` }
      : { 'anonymous-auth': 'false' }),
    ...(spec.cloudProvider !== '' && isOld && { 'cloud-provider': spec.cloudProvider }),
  };
}

/** The flags of the older form exclude the file. */
function authorization({ extraArgs }: ApiServerConfigSpec): Flags {
  const usesFlags = Object.keys(extraArgs).some(
    (name) => name === 'authorization-mode' || name.startsWith('authorization-webhook-'),
  );
  if (usesFlags) return { 'authorization-mode': 'Node,RBAC' };
  return { 'authorization-config': `${config}/authorization-config.yaml` };
}
