import { agnhostVersion } from '@nodewright/build/kubernetes';
import { addonImages } from '../../packages/machine-config/src/generate/generate-options.ts';
import { builtKubernetesVersion } from '../../packages/provision/src/domain/kubernetes-programs.ts';

/** A layer of the images of Kubernetes. Images that have one in common share it. */
export type LayerName =
  | 'agnhost'
  | 'bash'
  | 'busybox'
  | 'coredns'
  | 'curl'
  | 'flannel'
  | 'kube'
  | 'mount'
  | 'netcat'
  | 'nft'
  | 'pause'
  | 'users';

/** An image that nodes with Kubernetes bring along, under the name of the public one of the same version. */
export interface KubernetesImage {
  readonly reference: string;
  /** From the lowest one. */
  readonly layers: readonly LayerName[];
  /** The program, which containers start by its path. */
  readonly program: string;
  /** What the program is called with unless a pod says otherwise. */
  readonly words?: readonly string[];
  /** The program is this link to the one for all of Kubernetes. */
  readonly isLinkToKube?: true;
}

const tag = `v${builtKubernetesVersion}`;
/** The repository of the images of the end-to-end tests of Kubernetes. */
const endToEnd = 'registry.k8s.io/e2e-test-images';
const component = (name: string, ...more: LayerName[]): KubernetesImage => ({
  reference: `registry.k8s.io/${name}:${tag}`,
  layers: ['kube', ...more],
  program: `usr/local/bin/${name}`,
  isLinkToKube: true,
});

/** The image of pods that need a shell, under the name of the end-to-end tests of Kubernetes. */
export const busyboxImage = `${endToEnd}/busybox:1.37.0-2`;

/**
 * The image of most pods of the end-to-end tests. Nodes do not bring it along. Besides agnhost it has the commands of busybox, bash,
 * curl and nc; the public one also has dig, ipcs, iperf, socat, ss, an old CoreDNS, and an archive of other images.
 */
export const agnhostImage: KubernetesImage = {
  reference: `${endToEnd}/agnhost:${agnhostVersion}`,
  layers: ['busybox', 'bash', 'curl', 'netcat', 'agnhost'],
  program: 'agnhost',
  words: ['pause'],
};

/** The names and tags are those of `gen config` and of containerd. Source: Talos v1.14: constants. */
export const kubernetesImages: readonly KubernetesImage[] = [
  { ...component('kubelet', 'mount', 'users'), reference: `ghcr.io/siderolabs/kubelet:${tag}` },
  component('kube-apiserver'),
  component('kube-controller-manager'),
  component('kube-scheduler'),
  component('kube-proxy', 'nft'),
  { reference: 'registry.k8s.io/pause:3.10.2', layers: ['pause'], program: 'pause' },
  // The versions are those of `gen config`, so its manifests need no change.
  { reference: addonImages.coreDns, layers: ['coredns'], program: 'usr/local/bin/coredns' },
  { reference: addonImages.flannel, layers: ['flannel', 'nft', 'busybox'], program: 'opt/bin/flanneld' },
  // For pods of users and of tests. Source: Kubernetes: images of the end-to-end tests.
  { reference: busyboxImage, layers: ['busybox'], program: 'bin/sh' },
];
