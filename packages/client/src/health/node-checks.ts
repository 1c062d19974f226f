import { volumeIds } from '@nodewright/contract/volumes';
import { Fault, faultFrom } from '@nodewright/fault';
import type { NodeClient } from '../node-client.ts';
import { isBootFinished } from './boot-state.ts';
import { askEach, type CheckOutcome, everyNode, type HealthCheck, ok, skip } from './health-check.ts';
import { listResources, readResource } from './read-resource.ts';

const mebibyte = 1024 * 1024;
/**
 * The required memory of a node, less what the kernel reserves. Source: Talos v1.14: health, memory sizes.
 */
const kernelMemoryMiB = 150;
const memoryMiB = { controlPlane: 1848 - kernelMemoryMiB, worker: 1024 - kernelMemoryMiB };
/** 6 GiB less the size of the other partitions. Source: Talos v1.14: health, disk sizes. */
const smallestDiskBytes = (6 * 1024 - (2101 + 100 + 1 + 10)) * mebibyte;

const noResources = 'the nodes do not serve resources';

/**
 * Skips a check that may not read its resources. Nodes report `permission-denied` both for a kind that they
 * do not have and for one that the caller may not read.
 */
async function unlessDenied(run: () => Promise<CheckOutcome>): Promise<CheckOutcome> {
  try {
    return await run();
  } catch (error) {
    const { kind, message } = faultFrom(error);
    if (kind !== 'permission-denied') throw error;
    return skip(message.includes('" is not supported') ? noResources : 'the caller may not read it');
  }
}

const apidReady: HealthCheck = {
  name: 'apid to be ready',
  async run(cluster, signal) {
    await askEach(cluster, everyNode(cluster), ({ machine }) => machine.version({}, { signal }));
    return ok;
  },
};

/** The node's memory in MiB; `undefined` for a container, which reports the memory of its host. */
async function memoryOf({ machine }: NodeClient, signal: AbortSignal): Promise<number | undefined> {
  const version = await machine.version({}, { signal });
  if (version.messages[0]?.platform?.mode === 'container') return undefined;
  const { messages } = await machine.memory({}, { signal });
  return Number(messages[0]?.meminfo?.memtotal ?? 0n) / 1024;
}

const memorySizes: HealthCheck = {
  name: 'all nodes memory sizes',
  async run(cluster, signal) {
    const sizes = await askEach(cluster, everyNode(cluster), (node) => memoryOf(node, signal));
    for (const [address, size] of sizes) {
      const wanted = memoryMiB[cluster.nodes.workers.includes(address) ? 'worker' : 'controlPlane'];
      if (size !== undefined && size < wanted) {
        throw new Fault(
          'failed-precondition',
          `node ${address} has ${Math.round(size)} MiB of memory and needs ${wanted} MiB`,
        );
      }
    }
    return ok;
  },
};

const diskSizes: HealthCheck = {
  name: 'all nodes disk sizes',
  run: (cluster, signal) =>
    unlessDenied(async () => {
      const volume = {
        namespace: 'runtime',
        type: 'VolumeStatuses.block.talos.dev',
        id: volumeIds.ephemeral,
      };
      const volumes = await askEach(cluster, everyNode(cluster), (node) =>
        readResource(node, volume, signal),
      );
      for (const [address, fields] of volumes) {
        if (fields === undefined) return skip(`there is no volume ${volumeIds.ephemeral}`);
        const size = Number(fields.size ?? 0);
        if (size < smallestDiskBytes) {
          throw new Fault(
            'failed-precondition',
            `the volume ${volumeIds.ephemeral} of node ${address} has ${size} bytes and needs ${smallestDiskBytes}`,
          );
        }
      }
      return ok;
    }),
};

const noDiagnostics: HealthCheck = {
  name: 'no diagnostics',
  run: (cluster, signal) =>
    unlessDenied(async () => {
      const type = { namespace: 'runtime', type: 'Diagnostics.runtime.talos.dev' };
      const all = await askEach(cluster, everyNode(cluster), (node) => listResources(node, type, signal));
      for (const [address, items] of all) {
        if (items === undefined) return skip(noResources);
        const [first] = items;
        if (first !== undefined) {
          throw new Fault(
            'failed-precondition',
            `node ${address}: ${String(first.message ?? 'a diagnostic')}`,
          );
        }
      }
      return ok;
    }),
};

const bootFinished: HealthCheck = {
  name: 'all nodes to finish boot sequence',
  async run(cluster, signal) {
    const nodes = await askEach(cluster, everyNode(cluster), (node) => isBootFinished(node, signal));
    for (const [address, isFinished] of nodes) {
      if (!isFinished) throw new Fault('failed-precondition', `node ${address} has not finished its boot`);
    }
    return ok;
  },
};

/** Source: Talos v1.14: health, checks 4 to 7. */
export const sizeChecks: readonly HealthCheck[] = [apidReady, memorySizes, diskSizes, noDiagnostics];
/** Source: Talos v1.14: health, check 9. */
export const bootCheck = bootFinished;
