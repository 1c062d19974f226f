export {
  type ContainerdServices,
  type NamespaceServices,
  openContainerdServices,
} from './containerd-services.ts';
export { type ContainerdRuntimeInit, openContainerdRuntime } from './open-containerd-runtime.ts';
