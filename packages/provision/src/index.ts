export type { ClusterShape, NodeType } from './domain/cluster-shape.ts';
export { describeShape } from './domain/cluster-shape.ts';
export { createProcessProvisioner } from './process/process-provisioner.ts';
export type * from './provisioner.ts';
export { provisionerNames } from './provisioner.ts';
