import type { ContainerInfo } from '@nodewright/containers';

const label = (name: string) => `io.kubernetes.${name}`;
/** Names of Kubernetes have none of the characters that lead to another folder. */
const isName = (text: string | undefined): text is string =>
  text !== undefined && /^[A-Za-z0-9][-.A-Za-z0-9]*$/.test(text);

/**
 * The folder of the logs of a container, below that of all pods; `undefined` for what is no container of a pod. Source: Kubernetes:
 * CRI logging.
 */
export function podLogFolder({ labels }: Pick<ContainerInfo, 'labels'>): string | undefined {
  const [namespace, pod, uid, container] = [
    labels[label('pod.namespace')],
    labels[label('pod.name')],
    labels[label('pod.uid')],
    labels[label('container.name')],
  ];
  if (!isName(namespace) || !isName(pod) || !isName(uid) || !isName(container)) return undefined;
  return `${namespace}_${pod}_${uid}/${container}`;
}
