import { kubeNodesConformance } from './testing/kube-nodes-conformance.ts';
import { createMemoryApiServer } from './testing/memory-api-server.ts';

const { api } = createMemoryApiServer();
kubeNodesConformance('an API server in memory', { api: () => api, timeoutMs: 20_000 });
