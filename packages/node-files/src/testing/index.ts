export { expectedPods } from './expected-pods.ts';
export { byName, flattened, renderedManifests } from './rendered-manifests.ts';
export { type ControlPlaneText, controlPlaneText, renderedPods } from './rendered-pods.ts';
