import { buildInfo } from '@nodewright/contract';
import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import type { World } from '../../base/domain/world.ts';

/** The names of architectures on the wire. */
const architectures: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', ia32: '386' };

/** Version and Hostname. */
export function createNodeInformation(
  { platform }: Pick<World, 'platform'>,
  hostname: () => string,
): Pick<MachineServiceImplementation, 'version' | 'hostname'> {
  return {
    async version() {
      const version = {
        tag: buildInfo.tag,
        sha: buildInfo.sha,
        // Empty, as on upstream's nodes.
        built: '',
        // The field for the program that runs the daemons; its name is that of Go, because clients print it.
        goVersion: `node${process.versions.node}`,
        os: process.platform,
        arch: architectures[process.arch] ?? process.arch,
      };
      return {
        messages: [{ version, platform: { name: platform, mode: platform }, features: { rbac: true } }],
      };
    },
    async hostname() {
      return { messages: [{ hostname: hostname() }] };
    },
  };
}
