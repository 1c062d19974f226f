import { ClusterServiceDefinition } from './gen/cluster/cluster.ts';
import { StateDefinition } from './gen/cosi/resource/state.ts';
import { InspectServiceDefinition } from './gen/inspect/inspect.ts';
import { DebugServiceDefinition } from './gen/machine/debug.ts';
import { ImageServiceDefinition } from './gen/machine/image.ts';
import { LifecycleServiceDefinition } from './gen/machine/lifecycle.ts';
import { LVMServiceDefinition } from './gen/machine/lvm.ts';
import { MachineServiceDefinition } from './gen/machine/machine.ts';
import { MDServiceDefinition } from './gen/machine/md.ts';
import { StorageServiceDefinition as MachineStorageServiceDefinition } from './gen/machine/storage.ts';
import { StorageServiceDefinition } from './gen/storage/storage.ts';
import { ExtensionSetServiceDefinition } from './gen/suite/extensions/v1/extensions.ts';
import { RegistryServiceDefinition } from './gen/suite/registry/v1/registry.ts';
import { RolloutServiceDefinition, TurnServiceDefinition } from './gen/suite/upgrade/v1/rollout.ts';
import { UpgradeServiceDefinition } from './gen/suite/upgrade/v1/upgrade.ts';
import { TimeServiceDefinition } from './gen/time/time.ts';

/**
 * Every service of machined's socket; those of the package `suite` are ours. This file loads their codecs, so the index does not export it: apid
 * decodes no messages and must not load them. Source: Talos v1.14: method table.
 */
export const machineServices = [
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
  RegistryServiceDefinition,
  ExtensionSetServiceDefinition,
  UpgradeServiceDefinition,
  RolloutServiceDefinition,
  TurnServiceDefinition,
] as const;

type MethodsOf<Service> = Service extends {
  readonly fullName: infer Name extends string;
  readonly methods: infer Methods;
}
  ? {
      [Key in keyof Methods]: Methods[Key] extends { readonly name: infer Method extends string }
        ? `/${Name}/${Method}`
        : never;
    }[keyof Methods]
  : never;

/** The full name of a method of machined's socket: `/package.Service/Method`. */
export type MachineMethod = MethodsOf<(typeof machineServices)[number]>;

/** Which sides of a method stream. */
export type MethodKind = 'unary' | 'server-stream' | 'client-stream' | 'bidi';

interface StreamFlags {
  readonly name: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
}

/** The kind of every method of machined's socket, by full name, from the generated definitions. */
export const methodKinds: Readonly<Record<string, MethodKind>> = Object.fromEntries(
  machineServices.flatMap(({ fullName, methods }) =>
    Object.values<StreamFlags>(methods).map((method) => [`/${fullName}/${method.name}`, kindOf(method)]),
  ),
);

function kindOf({ requestStream, responseStream }: StreamFlags): MethodKind {
  if (requestStream) return responseStream ? 'bidi' : 'client-stream';
  return responseStream ? 'server-stream' : 'unary';
}
