import type { KubeNodes } from '@nodewright/client/kube-nodes';
import type { Kubeconfig } from '@nodewright/client/kubeconfig';
import { Fault } from '@nodewright/fault';
import { kubeletPaths } from '@nodewright/node-files';
import { withFileContents } from '../domain/kubelet-credentials.ts';

/** Connects with the kubeconfig in a text. The caller disposes of the result. */
export async function openNodesOf(kubeconfig: string, signal: AbortSignal): Promise<KubeNodes & Disposable> {
  const { parseKubeconfig } = await import('@nodewright/client/kubeconfig');
  return opened(parseKubeconfig(kubeconfig, 'the kubeconfig of the node'), signal);
}

/**
 * Connects with the credentials of the kubelet.
 *
 * @param read returns the content of a file of the node; `undefined` when there is none
 * @throws Fault `failed-precondition` before the kubelet has joined a cluster
 */
export async function openKubeletNodes(
  read: (path: string) => Buffer | undefined,
  signal: AbortSignal,
): Promise<KubeNodes & Disposable> {
  const text = read(kubeletPaths.kubeconfig);
  if (text === undefined) throw new Fault('failed-precondition', 'the kubelet has no kubeconfig yet');
  const { parseKubeconfig } = await import('@nodewright/client/kubeconfig');
  const config = parseKubeconfig(text.toString('utf8'), kubeletPaths.kubeconfig);
  return opened(withFileContents(config, read), signal);
}

async function opened(config: Kubeconfig, signal: AbortSignal): Promise<KubeNodes & Disposable> {
  const [{ openKubernetesApi }, { openKubeNodes }] = await Promise.all([
    import('@nodewright/client/kubeconfig'),
    import('@nodewright/client/kube-nodes'),
  ]);
  const api = openKubernetesApi(config, { keepsConnection: true });
  return { ...openKubeNodes({ api, signal }), [Symbol.dispose]: () => api[Symbol.dispose]() };
}
