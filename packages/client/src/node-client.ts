import { ClusterServiceDefinition } from '@nodewright/contract/gen/cluster/cluster.ts';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import { InspectServiceDefinition } from '@nodewright/contract/gen/inspect/inspect.ts';
import { DebugServiceDefinition } from '@nodewright/contract/gen/machine/debug.ts';
import { ImageServiceDefinition } from '@nodewright/contract/gen/machine/image.ts';
import { LifecycleServiceDefinition } from '@nodewright/contract/gen/machine/lifecycle.ts';
import { LVMServiceDefinition } from '@nodewright/contract/gen/machine/lvm.ts';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { MDServiceDefinition } from '@nodewright/contract/gen/machine/md.ts';
import { StorageServiceDefinition as FileSystemServiceDefinition } from '@nodewright/contract/gen/machine/storage.ts';
import { StorageServiceDefinition } from '@nodewright/contract/gen/storage/storage.ts';
import { ExtensionSetServiceDefinition } from '@nodewright/contract/gen/suite/extensions/v1/extensions.ts';
import { RegistryServiceDefinition } from '@nodewright/contract/gen/suite/registry/v1/registry.ts';
import { RolloutServiceDefinition } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { UpgradeServiceDefinition } from '@nodewright/contract/gen/suite/upgrade/v1/upgrade.ts';
import { TimeServiceDefinition } from '@nodewright/contract/gen/time/time.ts';
import type { Client, TsProtoServiceDefinition } from 'nice-grpc';
import { createServiceClient, type ServiceClientInit } from './connection/service-client.ts';
import { nameFailures } from './name-failures.ts';
import { Resources } from './resources/resources.ts';

/**
 * The API of one node, with a typed client for each service. A failed call rejects with a `CallFault`, also
 * when the response itself reports the failure. A call that resolves therefore always has a result.
 */
export class NodeClient {
  /** The node as the user named it; for a client without a target, the host of the endpoint. */
  readonly name: string;
  readonly #init: ServiceClientInit;
  readonly #clients = new Map<TsProtoServiceDefinition, unknown>();
  #resources: Resources | undefined;

  constructor(name: string, init: ServiceClientInit) {
    this.name = name;
    this.#init = init;
  }

  get machine(): Client<typeof MachineServiceDefinition> {
    return this.service(MachineServiceDefinition);
  }

  get time(): Client<typeof TimeServiceDefinition> {
    return this.service(TimeServiceDefinition);
  }

  get cluster(): Client<typeof ClusterServiceDefinition> {
    return this.service(ClusterServiceDefinition);
  }

  get inspect(): Client<typeof InspectServiceDefinition> {
    return this.service(InspectServiceDefinition);
  }

  /** `storage.StorageService`: disks. */
  get storage(): Client<typeof StorageServiceDefinition> {
    return this.service(StorageServiceDefinition);
  }

  /** `machine.StorageService`: file systems. */
  get fileSystem(): Client<typeof FileSystemServiceDefinition> {
    return this.service(FileSystemServiceDefinition);
  }

  get image(): Client<typeof ImageServiceDefinition> {
    return this.service(ImageServiceDefinition);
  }

  /** `suite.extensions.v1.ExtensionSetService`: the sets of extensions of a machine, which nodes of upstream do not have. */
  get extensionSets(): Client<typeof ExtensionSetServiceDefinition> {
    return this.service(ExtensionSetServiceDefinition);
  }

  /** `suite.upgrade.v1.UpgradeService`: upgrades with what `lifecycle` cannot carry, which nodes of upstream do not have. */
  get upgrades(): Client<typeof UpgradeServiceDefinition> {
    return this.service(UpgradeServiceDefinition);
  }

  /** `suite.upgrade.v1.RolloutService`: upgrades of all nodes of a cluster, which nodes of upstream do not have. */
  get rollouts(): Client<typeof RolloutServiceDefinition> {
    return this.service(RolloutServiceDefinition);
  }

  /** `suite.registry.v1.RegistryService`: the image cache of the node, which nodes of upstream do not have. */
  get registry(): Client<typeof RegistryServiceDefinition> {
    return this.service(RegistryServiceDefinition);
  }

  get lifecycle(): Client<typeof LifecycleServiceDefinition> {
    return this.service(LifecycleServiceDefinition);
  }

  get lvm(): Client<typeof LVMServiceDefinition> {
    return this.service(LVMServiceDefinition);
  }

  get md(): Client<typeof MDServiceDefinition> {
    return this.service(MDServiceDefinition);
  }

  get debug(): Client<typeof DebugServiceDefinition> {
    return this.service(DebugServiceDefinition);
  }

  /** The resources of the node, by kind: get, list and watch. */
  get resources(): Resources {
    this.#resources ??= new Resources(this.name, this.state);
    return this.#resources;
  }

  /** `cosi.resource.State`, the service behind `resources`. */
  get state(): Client<typeof StateDefinition> {
    return this.service(StateDefinition);
  }

  /** Returns a client of any service, for services without a property of their own. */
  service<Service extends TsProtoServiceDefinition>(definition: Service): Client<Service> {
    const known =
      this.#clients.get(definition) ??
      nameFailures(definition, createServiceClient(definition, this.#init), this.name);
    this.#clients.set(definition, known);
    return known as Client<Service>;
  }
}
