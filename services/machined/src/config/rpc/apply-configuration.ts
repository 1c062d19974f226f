import { metadataKeys, roles } from '@nodewright/contract';
import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { rolesFromMetadata } from '../../access/domain/caller-roles.ts';
import type { Apply } from '../controllers/configuration-applier.ts';
import { applicationOf, appliedReply } from './apply-messages.ts';

/**
 * ApplyConfiguration: another machine configuration for this node. What is answered to be stored is on the disk, and
 * what is stored was found valid; a crash at any moment leaves the old or the new one. Source: Talos v1.14: ApplyConfiguration.
 */
export function createApplyConfiguration(
  apply: Apply,
): Pick<MachineServiceImplementation, 'applyConfiguration'> {
  return {
    async applyConfiguration(request, { metadata }) {
      const caller = rolesFromMetadata(metadata.getAll(metadataKeys.role));
      const isAdmin = caller.has(roles.admin);
      return appliedReply(await apply({ ...applicationOf(request), isAdmin }));
    },
  };
}
