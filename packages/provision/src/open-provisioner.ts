import { Fault } from '@nodewright/fault';
import type { Telemetry } from '@nodewright/telemetry';
import { openClientProbe } from './process/client-probe.ts';
import { checkPatches, generateClusterMaterial } from './process/generated-material.ts';
import { createProcessProvisioner } from './process/process-provisioner.ts';
import { findPrograms } from './process/programs.ts';
import type { Provisioner, ProvisionerName } from './provisioner.ts';

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
  if (name !== 'process') {
    throw new Fault(
      'unimplemented',
      `provisioner "${name}" comes later: this version has --provisioner process`,
    );
  }
  return createProcessProvisioner(() => ({
    programs: findPrograms(init.distFolder, init.nodeBinary),
    environment: init.environment,
    checkPatches,
    makeMaterial: () => generateClusterMaterial(init.now),
    openProbe: (talosconfig) => openClientProbe(talosconfig, init.telemetry),
  }));
}
