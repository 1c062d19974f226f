export { type ContainerdRuntimeInit, openContainerdRuntime } from './open-containerd-runtime.ts';
