import type { SecretsBundle } from '../secrets/secrets-bundle.ts';
import type { VersionContract } from '../version-contract.ts';

/** The Kubernetes version of generated configurations, without `v`. Source: Talos v1.14: gen config. */
export const defaultKubernetesVersion = '1.37.0-rc.1';

/** Without tag: the installer that has no extensions. Source: Talos v1.14: gen config. */
export const defaultInstallerImage =
  'factory.talos.dev/metal-installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba';

export const defaultInstallDisk = '/dev/sda';
export const defaultDnsDomain = 'cluster.local';

/** What may be asked for beyond what every configuration needs. Absent means the default. */
export interface GenerateOptions {
  /** More names and addresses for the certificates of both APIs. */
  readonly additionalSANs?: readonly string[];
  readonly dnsDomain?: string;
  /** Empty: nothing about installation is written. Default `/dev/sda`. */
  readonly installDisk?: string;
  readonly installImage?: string;
  /** Without `v`. */
  readonly kubernetesVersion?: string;
  /** URLs per registry host, in their order. */
  readonly registryMirrors?: Readonly<Record<string, readonly string[]>>;
  /** Default true. */
  readonly clusterDiscovery?: boolean;
  /** Default false. */
  readonly kubeSpan?: boolean;
  /** No Kubernetes and no etcd parts. Default false. */
  readonly skipKubernetesAndEtcd?: boolean;
  /**
   * Of Kubernetes only how the cluster is called and where it is found, which nodes need to find each other; etcd stays.
   * For clusters on which Kubernetes does not run yet. Default false.
   */
  readonly withoutKubernetes?: boolean;
  readonly sysctls?: Readonly<Record<string, string>>;
  readonly allowSchedulingOnControlPlanes?: boolean;
  /** Default 6443. */
  readonly localAPIServerPort?: number;
  /** URLs of manifests that replace the built-in network plug-in. */
  readonly customCNI?: readonly string[];
  /** IPv4 by default; both give two subnets each. */
  readonly ipFamilies?: readonly ('ipv4' | 'ipv6')[];
}

export interface GenerateInput {
  readonly secrets: SecretsBundle;
  readonly clusterName: string;
  /** URL of the Kubernetes control plane. */
  readonly endpoint: string;
  readonly type: 'controlplane' | 'worker';
  /** Default: the current one. */
  readonly contract?: VersionContract;
  readonly options?: GenerateOptions;
}

/** Pod and service subnets of the chosen families. */
export function clusterSubnets(options: GenerateOptions): { podSubnets: string[]; serviceSubnets: string[] } {
  const families = options.ipFamilies ?? ['ipv4'];
  return {
    podSubnets: families.map((family) => (family === 'ipv4' ? '10.244.0.0/16' : 'fc00:db8:10::/56')),
    serviceSubnets: families.map((family) => (family === 'ipv4' ? '10.96.0.0/12' : 'fc00:db8:20::/112')),
  };
}

/** References of the images of one Kubernetes version. Source: Talos v1.14: gen config. */
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
