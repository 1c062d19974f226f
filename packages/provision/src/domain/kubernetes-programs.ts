/** The version that `make kubernetes` builds, without `v`. `gen config` writes the same one. */
export const builtKubernetesVersion = '1.37.1';

/** The programs in the folder of `make kubernetes`. */
export const kubernetesPrograms = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kubelet',
  'kube-proxy',
] as const;
