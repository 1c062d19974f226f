import type { SecretsBundle } from '../secrets/secrets-bundle.ts';
import type { VersionContract } from '../version-contract.ts';

/** The Kubernetes version of generated configurations, without `v`: the one that the project builds and tests. */
export const defaultKubernetesVersion = '1.37.1';

/** The installer image without extensions; the tag is added separately. Source: Talos v1.14: gen config. */
export const defaultInstallerImage =
  'factory.talos.dev/metal-installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba';

export const defaultInstallDisk = '/dev/sda';
export const defaultDnsDomain = 'cluster.local';

/** Optional inputs of a generated configuration. A missing field has its default. */
export interface GenerateOptions {
  /** Additional DNS names and IP addresses for the certificates of the OS API and the Kubernetes API. */
  readonly additionalSANs?: readonly string[];
  readonly dnsDomain?: string;
  /** An empty text omits the installation settings. Default `/dev/sda`. */
  readonly installDisk?: string;
  readonly installImage?: string;
  /** Kubernetes version without `v`. */
  readonly kubernetesVersion?: string;
  /** Mirror URLs per registry host, in order. */
  readonly registryMirrors?: Readonly<Record<string, readonly string[]>>;
  /** Whether nodes use the discovery service. Default `true`. */
  readonly clusterDiscovery?: boolean;
  /** Whether KubeSpan is enabled. Default `false`. */
  readonly kubeSpan?: boolean;
  /** Omit all parts for Kubernetes and etcd. Default `false`. */
  readonly skipKubernetesAndEtcd?: boolean;
  /**
   * Of the Kubernetes documents, write only KubeClusterConfig, which nodes need to find each other. etcd
   * stays. For clusters on which Kubernetes does not run. Default `false`.
   */
  readonly withoutKubernetes?: boolean;
  readonly sysctls?: Readonly<Record<string, string>>;
  readonly allowSchedulingOnControlPlanes?: boolean;
  /** Port of the Kubernetes API server on each control plane. Default 6443. */
  readonly localAPIServerPort?: number;
  /** URLs of manifests that replace the built-in network plug-in. */
  readonly customCNI?: readonly string[];
  /** IP families of pod and service subnets, one subnet per family. Default IPv4. */
  readonly ipFamilies?: readonly ('ipv4' | 'ipv6')[];
}

export interface GenerateInput {
  readonly secrets: SecretsBundle;
  readonly clusterName: string;
  /** URL of the Kubernetes control plane. */
  readonly endpoint: string;
  readonly type: 'controlplane' | 'worker';
  /** The contract to generate for. Default: the current one. */
  readonly contract?: VersionContract;
  readonly options?: GenerateOptions;
}

/** Returns the pod and service subnets of the selected IP families. */
export function clusterSubnets(options: GenerateOptions): { podSubnets: string[]; serviceSubnets: string[] } {
  const families = options.ipFamilies ?? ['ipv4'];
  return {
    podSubnets: families.map((family) => (family === 'ipv4' ? '10.244.0.0/16' : 'fc00:db8:10::/56')),
    serviceSubnets: families.map((family) => (family === 'ipv4' ? '10.96.0.0/12' : 'fc00:db8:20::/112')),
  };
}

/** Returns the image references of the Kubernetes version. Source: Talos v1.14: gen config. */
export function kubernetesImages(options: GenerateOptions) {
  const tag = `v${options.kubernetesVersion ?? defaultKubernetesVersion}`;
  return {
    kubelet: `ghcr.io/siderolabs/kubelet:${tag}`,
    apiServer: `registry.k8s.io/kube-apiserver:${tag}`,
    controllerManager: `registry.k8s.io/kube-controller-manager:${tag}`,
    scheduler: `registry.k8s.io/kube-scheduler:${tag}`,
    proxy: `registry.k8s.io/kube-proxy:${tag}`,
  };
}

/** Images of what every cluster gets, unless its configuration says otherwise. Source: Talos v1.14: default images. */
export const addonImages = {
  coreDns: 'registry.k8s.io/coredns/coredns:v1.14.7',
  flannel: 'ghcr.io/siderolabs/flannel:v0.28.9',
  networkPolicies: 'registry.k8s.io/networking/kube-network-policies:v1.1.1',
} as const;
