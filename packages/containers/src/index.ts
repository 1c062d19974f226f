export type {
  CallOptions,
  ContainerInfo,
  ContainerRuntime,
  ContainerSpec,
  ContainerStats,
  ContainerStore,
  ExitStatus,
  Labels,
  LogOptions,
  LogProgress,
  MountSpec,
  NamespaceName,
  RuntimeEvent,
  RuntimeNamespace,
  RuntimeVersion,
  TaskInfo,
} from './container-runtime.ts';
export { runtimeNamespaces } from './container-runtime.ts';
export type { ImageInfo, ImageStore, LayerProgress, PullOptions, PullStep } from './image-store.ts';
