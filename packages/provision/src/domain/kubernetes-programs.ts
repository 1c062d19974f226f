/**
 * The version that `make kubernetes` builds, without `v`. Clusters that run it are given this version explicitly: it differs
 * from the one of `gen config`.
 */
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
