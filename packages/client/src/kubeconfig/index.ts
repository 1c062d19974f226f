export { emptyKubeconfig, type Kubeconfig, parseKubeconfig, printKubeconfig } from './kubeconfig.ts';
export { answeredObject, type KubernetesAnswer } from './kubernetes-answer.ts';
export { type KubernetesApi, type KubernetesRequest, openKubernetesApi } from './kubernetes-api.ts';
export {
  changedContexts,
  type KubeconfigConflict,
  type KubeconfigMerge,
  type KubeconfigRename,
  kubeconfigConflicts,
  mergeKubeconfig,
} from './merge-kubeconfig.ts';
export { readKubeconfig } from './read-kubeconfig.ts';
export { rewriteKubeconfig } from './rewrite-kubeconfig.ts';
