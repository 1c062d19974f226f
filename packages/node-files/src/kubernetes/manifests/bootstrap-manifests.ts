// The manifests that every cluster gets, as Kubernetes objects. Source: Talos v1.14: bootstrap manifests.
import type { JsonObject } from '@nodewright/state';
import type { BootstrapManifestsConfigSpec, KubernetesRootSecretSpec } from '@nodewright/state/kinds';
import { coreDnsObjects, coreDnsService } from './core-dns.ts';
import { flannelObjects } from './flannel.ts';
import { kubeProxyObjects } from './kube-proxy.ts';
import { bootstrapToken, kubeconfigInCluster, nodeRbac, signingRequestBinding } from './node-bootstrap.ts';

/** Objects of one manifest. */
export interface BootstrapManifest {
  /** Manifests are applied in the order of their ids. */
  readonly id: string;
  readonly objects: readonly JsonObject[];
}

/** The part of the root secrets that manifests contain. The token is a secret. */
export type ManifestSecrets = Pick<
  KubernetesRootSecretSpec,
  'bootstrapTokenID' | 'bootstrapTokenSecret' | 'acceptedCAs'
>;

/** The manifests that follow from a configuration, in the order of their ids. */
export function bootstrapManifests(
  spec: BootstrapManifestsConfigSpec,
  secrets: ManifestSecrets,
): BootstrapManifest[] {
  const manifest = (id: string, ...objects: JsonObject[]) => ({ id, objects });
  const binding = (id: string, request: Parameters<typeof signingRequestBinding>[0]) =>
    manifest(id, signingRequestBinding(request));
  return [
    ...(secrets.bootstrapTokenID === ''
      ? []
      : [manifest('00-kubelet-bootstrapping-token', bootstrapToken(secrets))]),
    binding('01-csr-approver-role-binding', {
      name: 'system-bootstrap-approve-node-client-csr',
      role: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
      groups: ['system:bootstrappers:nodes'],
    }),
    binding('01-csr-node-bootstrap', {
      name: 'system-bootstrap-node-bootstrapper',
      role: 'system:node-bootstrapper',
      groups: ['system:bootstrappers:nodes', 'system:nodes'],
    }),
    binding('01-csr-renewal-role-binding', {
      name: 'system-bootstrap-node-renewal',
      role: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
      groups: ['system:nodes'],
    }),
    ...(spec.flannelEnabled ? [manifest('05-flannel', ...flannelObjects(spec))] : []),
    ...(spec.proxyEnabled ? [manifest('10-kube-proxy', ...kubeProxyObjects(spec))] : []),
    ...(spec.coreDNSEnabled
      ? [manifest('11-core-dns', ...coreDnsObjects(spec)), manifest('11-core-dns-svc', coreDnsService(spec))]
      : []),
    manifest('11-kube-config-in-cluster', kubeconfigInCluster(spec.string)),
    manifest('11-talos-node-rbac-template', ...nodeRbac()),
  ];
}
