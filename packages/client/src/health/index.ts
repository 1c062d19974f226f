export { type CheckHealthInit, checkHealth, healthChecks } from './check-health.ts';
export { discoverNodes } from './discover-nodes.ts';
export type { CheckedCluster, CheckOutcome, ClusterNodes, HealthCheck } from './health-check.ts';
export { KubernetesAccess, type KubernetesAccessInit } from './kubernetes-access.ts';
