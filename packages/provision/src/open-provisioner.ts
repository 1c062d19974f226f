import { Fault } from '@nodewright/fault';
import type { Telemetry } from '@nodewright/telemetry';
import type { CreateParts } from './cluster/creation.ts';
import { findBundles } from './cluster/find-bundles.ts';
import { createDockerProvisioner } from './docker/docker-provisioner.ts';
import { createProcessProvisioner } from './process/process-provisioner.ts';
import { findPrograms } from './process/programs.ts';
import type { ConfigPatches, Provisioner, ProvisionerName } from './provisioner.ts';

export interface ProvisionerInit {
  /** Folder of the bundles that were built. */
  readonly distFolder: string;
  /** The Node.js that runs them. */
  readonly nodeBinary: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
}

/** Throws a Fault `unimplemented` for provisioners that are not built yet. */
export function openProvisioner(name: ProvisionerName, init: ProvisionerInit): Provisioner {
  if (name === 'process') {
    return createProcessProvisioner(() => ({
      programs: findPrograms(init),
      ...commonParts(init),
    }));
  }
  if (name === 'docker') {
    return createDockerProvisioner(
      () => ({
        nodeBinary: init.nodeBinary,
        keeper: findBundles(init.distFolder, ['docker-keeper'])['docker-keeper'],
        tag: init.environment.NODEWRIGHT_TAG || 'dev',
        ...commonParts(init),
      }),
      init,
    );
  }
  throw new Fault(
    'unimplemented',
    `provisioner "${name}" comes later: this version has --provisioner process and --provisioner docker`,
  );
}

function commonParts(init: ProvisionerInit): CreateParts {
  return {
    environment: init.environment,
    // Certificates, documents and gRPC are loaded where they are needed: until then the supervisor can start.
    async checkPatches(patches) {
      if (isEmpty(patches)) return;
      const { checkPatches } = await import('./cluster/generated-material.ts');
      checkPatches(patches);
    },
    async makeMaterial() {
      const { generateClusterMaterial } = await import('./cluster/generated-material.ts');
      return generateClusterMaterial(init.now);
    },
    async openProbe(talosconfig) {
      const { openClientProbe } = await import('./cluster/client-probe.ts');
      return openClientProbe(talosconfig, init.telemetry);
    },
    async openEtcdProbe(talosconfig) {
      const { openClientEtcdProbe } = await import('./cluster/client-etcd-probe.ts');
      return openClientEtcdProbe(talosconfig, init.telemetry);
    },
  };
}

function isEmpty({ all, controlPlanes, workers }: ConfigPatches): boolean {
  return all.length + controlPlanes.length + workers.length === 0;
}
