import { readFile } from 'node:fs/promises';
import { Fault } from '@nodewright/fault';
import { createClusterProvisioner } from '../cluster/cluster-provisioner.ts';
import { findCluster, locateCluster } from '../cluster/read-cluster.ts';
import { checkMachineRequest } from '../domain/check-machine-request.ts';
import type { ClusterShape } from '../domain/cluster-shape.ts';
import { machineMemory, memoryProblem } from '../domain/kubernetes-memory.ts';
import type { ClusterRequest, Provisioner } from '../domain/provisioner.ts';
import { requireEmulator } from '../machine/require-emulator.ts';
import { checkImage, imageFolderOf } from './machine-image.ts';
import { openQemuHost } from './qemu-host.ts';
import { openQemuLauncher } from './qemu-launcher.ts';
import type { QemuParts } from './qemu-parts.ts';

/**
 * Creates the provisioner of clusters of one virtual machine, which boots the disk image. `parts` is called only by
 * actions that start the machine.
 */
export function createQemuProvisioner(parts: () => QemuParts): Provisioner {
  return createClusterProvisioner<QemuParts>(
    {
      provisioner: 'qemu',
      checkRequest,
      openHost: (folder) => openQemuHost(folder),
      openLauncher: openQemuLauncher,
    },
    parts,
  );
}

/** Checks everything that can be known before anything is created. */
async function checkRequest(request: ClusterRequest, parts: QemuParts): Promise<void> {
  checkMachineRequest(request);
  if (process.arch !== 'x64') {
    throw new Fault(
      'unimplemented',
      `machines of ${process.arch} cannot be emulated yet, only those of x86-64`,
    );
  }
  requireEmulator();
  // A machine that exists has its own copy of the image.
  const found = await findCluster(await locateCluster(request, { make: false }));
  if (found.kind === 'cluster' && found.state.phase !== 'creating') return;
  checkImage(imageFolderOf(request, parts), request.kubernetes ?? false);
  if (request.kubernetes) await requireMemory(request.shape);
}

/** @throws Fault `resource-exhausted` with the figures when a machine with Kubernetes does not fit into the memory of this host */
async function requireMemory(shape: ClusterShape): Promise<void> {
  const meminfo = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const problem = memoryProblem(shape, machineMemory, meminfo);
  if (problem !== undefined) throw new Fault('resource-exhausted', problem);
}
