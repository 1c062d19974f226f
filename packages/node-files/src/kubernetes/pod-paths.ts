import { nodePaths } from '@nodewright/contract';

/** The components of the control plane that run as static pods, in the order in which they depend on each other. */
export const components = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
export type ComponentName = (typeof components)[number];

/** The users of the pods, which are also their groups. Source: Talos v1.14: static pods. */
export const componentUsers = {
  'kube-apiserver': 65534,
  'kube-controller-manager': 65535,
  'kube-scheduler': 65536,
} as const satisfies Readonly<Record<ComponentName, number>>;

/** Folders of a static pod, the same on the node and inside. Source: Talos v1.14: static pods, secrets files. */
export const podPaths = {
  secrets: (component: ComponentName) => `${nodePaths.kubernetesSecrets}/${component}`,
  config: (component: ComponentName) => `${nodePaths.kubernetesConfig}/${component}`,
  audit: nodePaths.kubernetesAudit,
} as const;
