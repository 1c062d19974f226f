export type { ClusterShape, NodeType } from './domain/cluster-shape.ts';
export { nodesText } from './domain/nodes-text.ts';
export type * from './domain/provisioner.ts';
export { provisionerNames } from './domain/provisioner.ts';
export { findProvisioner } from './find-provisioner.ts';
export { listClusters } from './list-clusters.ts';
export { openProvisioner, type ProvisionerInit } from './open-provisioner.ts';
export { type NodeProcess, readNodeProcesses } from './process/node-processes.ts';
