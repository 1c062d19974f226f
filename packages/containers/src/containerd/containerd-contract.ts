// The contract of containerd in one module: programs that rarely need it keep it in a file of its own (packages/build/src/bundles/bundles.ts).
export { ContainerCreate, ContainerDelete } from '@nodewright/contract/gen/containerd/events/container.ts';
export { TaskExit, TaskOOM, TaskStart } from '@nodewright/contract/gen/containerd/events/task.ts';
export { Options } from '@nodewright/contract/gen/containerd/runc/v1/options.ts';
export { ContainersDefinition } from '@nodewright/contract/gen/containerd/services/containers/v1/containers.ts';
export {
  ContentDefinition,
  WriteAction,
  type WriteContentRequest,
  type WriteContentResponse,
} from '@nodewright/contract/gen/containerd/services/content/v1/content.ts';
export { DiffDefinition } from '@nodewright/contract/gen/containerd/services/diff/v1/diff.ts';
export { EventsDefinition } from '@nodewright/contract/gen/containerd/services/events/v1/events.ts';
export {
  ImageCreate,
  ImageDelete,
  ImageUpdate,
} from '@nodewright/contract/gen/containerd/services/images/v1/image_events.ts';
export { ImagesDefinition } from '@nodewright/contract/gen/containerd/services/images/v1/images.ts';
export { LeasesDefinition } from '@nodewright/contract/gen/containerd/services/leases/v1/leases.ts';
export { SnapshotsDefinition } from '@nodewright/contract/gen/containerd/services/snapshots/v1/snapshots.ts';
export { TasksDefinition } from '@nodewright/contract/gen/containerd/services/tasks/v1/tasks.ts';
export { VersionDefinition } from '@nodewright/contract/gen/containerd/services/version/v1/version.ts';
export { type Process, Status } from '@nodewright/contract/gen/containerd/v1/types/task.ts';
