import { createHash } from 'node:crypto';
import { type Controller, exclusive } from '@nodewright/controllers';
import { kubeletKubeconfigs } from '@nodewright/state/kinds';

/** The kubelet writes the file when it has joined the cluster, and seldom after that. */
const pollMs = 5_000;

/**
 * Publishes the hash of the kubeconfig of the kubelet, while there is one. Source: Talos v1.14: k8s.KubeletKubeconfigController.
 *
 * @param read returns the content of the kubeconfig; `undefined` when there is none
 */
export function createKubeletKubeconfigController(read: () => Buffer | undefined): Controller {
  return {
    name: 'k8s.KubeletKubeconfigController',
    inputs: [],
    outputs: [exclusive(kubeletKubeconfigs)],
    async reconcile(pass) {
      const content = read();
      const hash = content && createHash('sha256').update(content).digest('hex');
      await pass.replace(
        kubeletKubeconfigs,
        hash === undefined ? [] : [{ id: kubeletKubeconfigs.singleton, spec: { hash } }],
      );
      pass.wakeAfter(pollMs);
    },
  };
}
