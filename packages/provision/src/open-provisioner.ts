import { dirname, join } from 'node:path';
import type { Telemetry } from '@nodewright/telemetry';
import type { CreateParts } from './cluster/creation.ts';
import { findBundles } from './cluster/find-bundles.ts';
import { createDockerProvisioner } from './docker/docker-provisioner.ts';
import type { ConfigPatches, Provisioner, ProvisionerName } from './domain/provisioner.ts';
import { findKubernetes } from './process/find-kubernetes.ts';
import { createProcessProvisioner } from './process/process-provisioner.ts';
import { findPrograms } from './process/programs.ts';
import { createQemuProvisioner } from './qemu/qemu-provisioner.ts';

export interface ProvisionerInit {
  /** The folder with the bundles. */
  readonly distFolder: string;
  /** The Node.js executable that runs them. */
  readonly nodeBinary: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly telemetry: Telemetry;
  readonly now: () => Date;
}

/** Opens a provisioner. */
export function openProvisioner(name: ProvisionerName, init: ProvisionerInit): Provisioner {
  if (name === 'process') {
    return createProcessProvisioner(() => ({
      programs: findPrograms(init),
      ...commonParts(init),
    }));
  }
  if (name === 'qemu') {
    return createQemuProvisioner(() => ({
      imagesFolder: dirname(init.distFolder),
      nodeBinary: init.nodeBinary,
      timeServer: findBundles(init.distFolder, ['time-server'])['time-server'],
      ...commonParts(init),
    }));
  }
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

function commonParts(init: ProvisionerInit): CreateParts {
  return {
    environment: init.environment,
    kubectl: join(findKubernetes(init.distFolder, init.environment) ?? '', 'kubectl'),
    // The modules for certificates, documents and gRPC are loaded when they are needed. Meanwhile the
    // supervisor can start.
    async checkPatches(patches) {
      if (isEmpty(patches)) return;
      const { checkPatches } = await import('./cluster/generated-material.ts');
      checkPatches(patches);
    },
    now: init.now,
    async makeMaterial() {
      const { generateClusterMaterial } = await import('./cluster/generated-material.ts');
      return generateClusterMaterial(init.now);
    },
    async openProbe(talosconfig) {
      const { openClientProbe } = await import('./cluster/client-probe.ts');
      return openClientProbe(talosconfig, init.telemetry);
    },
    async openMaintenance(api, fingerprints) {
      const { openMaintenanceApi } = await import('./cluster/maintenance-api.ts');
      return openMaintenanceApi(api, fingerprints, init.telemetry);
    },
    async openMembersProbe(talosconfig) {
      const { openClientMembersProbe } = await import('./cluster/client-members-probe.ts');
      return openClientMembersProbe(talosconfig, init.telemetry);
    },
    async openEtcdProbe(talosconfig) {
      const { openClientEtcdProbe } = await import('./cluster/client-etcd-probe.ts');
      return openClientEtcdProbe(talosconfig, init.telemetry);
    },
    async openKubernetesProbe(talosconfig) {
      const { openClientKubernetesProbe } = await import('./cluster/client-kubernetes-probe.ts');
      return openClientKubernetesProbe(talosconfig, init.telemetry);
    },
  };
}

function isEmpty({ all, controlPlanes, workers }: ConfigPatches): boolean {
  return all.length + controlPlanes.length + workers.length === 0;
}
