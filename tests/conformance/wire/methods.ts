import { ClusterServiceDefinition } from '@nodewright/contract/gen/cluster/cluster.ts';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { StorageServiceDefinition as FileSystemServiceDefinition } from '@nodewright/contract/gen/machine/storage.ts';
import { StorageServiceDefinition } from '@nodewright/contract/gen/storage/storage.ts';
import { TimeServiceDefinition } from '@nodewright/contract/gen/time/time.ts';
import { methodsOf } from './method.ts';

export const machine = methodsOf(MachineServiceDefinition);
export const cluster = methodsOf(ClusterServiceDefinition);
/** `storage.StorageService` */
export const storage = methodsOf(StorageServiceDefinition);
/** `machine.StorageService` */
export const fileSystem = methodsOf(FileSystemServiceDefinition);
/** `cosi.resource.State` */
export const state = methodsOf(StateDefinition);
export const time = methodsOf(TimeServiceDefinition);
