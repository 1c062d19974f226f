import { builtKubernetesVersion } from '../../packages/provision/src/domain/kubernetes-programs.ts';

/** A layer of the images of Kubernetes. Images that have one in common share it. */
export type LayerName = 'kube' | 'mount' | 'nft' | 'pause' | 'users';

/** An image that nodes with Kubernetes bring along, under the name of the public one of the same version. */
export interface KubernetesImage {
  readonly reference: string;
  /** From the lowest one. */
  readonly layers: readonly LayerName[];
  /** The program, which containers start by its path. */
  readonly program: string;
  /** The program is this link to the one for all of Kubernetes. */
  readonly isLinkToKube?: true;
}

const tag = `v${builtKubernetesVersion}`;
const component = (name: string, ...more: LayerName[]): KubernetesImage => ({
  reference: `registry.k8s.io/${name}:${tag}`,
  layers: ['kube', ...more],
  program: `usr/local/bin/${name}`,
  isLinkToKube: true,
});

/** The names and tags are those of `gen config` and of containerd. Source: Talos v1.14: constants. */
export const kubernetesImages: readonly KubernetesImage[] = [
  { ...component('kubelet', 'mount', 'users'), reference: `ghcr.io/siderolabs/kubelet:${tag}` },
  component('kube-apiserver'),
  component('kube-controller-manager'),
  component('kube-scheduler'),
  component('kube-proxy', 'nft'),
  { reference: 'registry.k8s.io/pause:3.10.2', layers: ['pause'], program: 'pause' },
];
