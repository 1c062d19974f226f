export { type DockerRuntimeInit, openDockerRuntime } from './open-docker-runtime.ts';
export { ownedByCluster } from './owned-reference.ts';
export { ownLabels, type Scope } from './ownership.ts';
