import { type HealthCheck, skip } from './health-check.ts';

const because = 'this program does not query Kubernetes';

/**
 * Checks that need the Kubernetes API, which this client does not query. They are reported as skipped.
 * Source: Talos v1.14: health, checks 10 to 16.
 */
export const kubernetesChecks: readonly HealthCheck[] = [
  'all k8s nodes to report',
  'all control plane static pods to be running',
  'all control plane components to be ready',
  'all k8s nodes to report ready',
  'kube-proxy to report ready',
  'coredns to report ready',
  'all k8s nodes to report schedulable',
].map((name) => ({ name, run: async () => skip(because) }));
