import { buildInfo } from '@nodewright/contract';
import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import type { World } from '../../base/domain/world.ts';

/** The names that the wire has for architectures. */
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
        built: buildInfo.built,
        // The field that says what the daemons run on; the name stays for the clients that print it.
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
