import { ClusterServiceDefinition } from '@nodewright/contract/gen/cluster/cluster.ts';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { InspectServiceDefinition } from '@nodewright/contract/gen/inspect/inspect.ts';
import { DebugServiceDefinition } from '@nodewright/contract/gen/machine/debug.ts';
import { ImageServiceDefinition } from '@nodewright/contract/gen/machine/image.ts';
import { LifecycleServiceDefinition } from '@nodewright/contract/gen/machine/lifecycle.ts';
import { LVMServiceDefinition } from '@nodewright/contract/gen/machine/lvm.ts';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { MDServiceDefinition } from '@nodewright/contract/gen/machine/md.ts';
import { StorageServiceDefinition as MachineStorageServiceDefinition } from '@nodewright/contract/gen/machine/storage.ts';
import { StorageServiceDefinition } from '@nodewright/contract/gen/storage/storage.ts';
import { TimeServiceDefinition } from '@nodewright/contract/gen/time/time.ts';

/** Every service of machined's socket. Source: Talos v1.14: method table. */
export const serviceDefinitions = [
  MachineServiceDefinition,
  ClusterServiceDefinition,
  InspectServiceDefinition,
  StorageServiceDefinition,
  TimeServiceDefinition,
  StateDefinition,
  ImageServiceDefinition,
  LifecycleServiceDefinition,
  DebugServiceDefinition,
  MachineStorageServiceDefinition,
  LVMServiceDefinition,
  MDServiceDefinition,
] as const;
