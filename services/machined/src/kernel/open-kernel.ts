import { release } from 'node:os';
import { createModuleLoader, type FileSystemSizes } from '@nodewright/linux';
import type { ExtensionStatusSpec } from '@nodewright/state/kinds';
import type { Telemetry } from '@nodewright/telemetry';
import type { World } from '../base/domain/world.ts';
import type { KernelFiles } from '../base/host/kernel-files.ts';
import { readIfThere, readOrReason } from '../base/host/read-if-there.ts';
import type { Topic } from '../base/topic.ts';
import { kernelControllers } from './controllers/kernel-controllers.ts';
import { extensionLayers, extensionsFile } from './domain/extension-layers.ts';
import { writeKernelParameter } from './host/kernel-parameter-file.ts';
import { createKernelStatistics } from './rpc/kernel-statistics.ts';
import { createMounts } from './rpc/mounts.ts';
import { createNodeInformation } from './rpc/node-information.ts';
import { createProcesses } from './rpc/processes.ts';

export interface OpenKernelInit {
  readonly world: World;
  /** The kernel started machined as the first process of a machine, whose parameters it sets. */
  readonly isFirstProcess: boolean;
  /** A new one at every start of the node. */
  readonly bootId: string;
  readonly hostname: () => string;
  readonly kernel: KernelFiles;
  readonly sizes: FileSystemSizes;
  readonly telemetry: Telemetry;
}

/** The image lists there what containers need. */
const containerModules = '/usr/lib/modules-load.d/containers.conf';

/** An image without extensions has no such file. */
function startedExtensions(): ExtensionStatusSpec[] {
  const text = readIfThere(extensionsFile);
  return text === undefined ? [] : extensionLayers(text.toString());
}

/**
 * The kernel and the facts that are known from the start of the system: versions, settings and statistics.
 */
export function openKernel(init: OpenKernelInit): Topic {
  const { world, isFirstProcess, bootId, hostname, kernel, sizes, telemetry } = init;
  const folder = `/usr/lib/modules/${release()}`;
  return {
    controllers: kernelControllers({
      ...{ world, bootId, kernel },
      kernelRelease: release(),
      extensions: isFirstProcess ? startedExtensions() : [],
      ...{ read: readIfThere, readOrReason },
      writeParameter: isFirstProcess ? writeKernelParameter : undefined,
      modules: isFirstProcess ? { folder, load: createModuleLoader(folder), containerModules } : undefined,
    }),
    api: {
      'machine.MachineService': {
        ...createNodeInformation(world, hostname),
        ...createKernelStatistics(kernel, telemetry),
        ...createProcesses(telemetry),
        ...createMounts(kernel, sizes, telemetry),
      },
    },
  };
}
