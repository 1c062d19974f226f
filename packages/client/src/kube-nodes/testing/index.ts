export { type ConformanceInit, kubeNodesConformance, objectMaker } from './kube-nodes-conformance.ts';
export { createMemoryApiServer, type MemoryApiServer } from './memory-api-server.ts';
