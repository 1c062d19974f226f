export { spansSocket } from '../cluster/cluster-folder.ts';
export { clusterJaeger } from './cluster-jaeger.ts';
export { readSpans } from './read-spans.ts';
export type { KeptBatch } from './span-ring.ts';
