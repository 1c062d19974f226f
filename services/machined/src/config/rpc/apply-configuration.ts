import { metadataKeys, roles } from '@nodewright/contract';
import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { rolesFromMetadata } from '../../access/domain/caller-roles.ts';
import type { Apply } from '../controllers/configuration-applier.ts';
import { applicationOf, appliedReply } from './apply-messages.ts';

/**
 * Implements ApplyConfiguration. A configuration is validated and on disk before the response says that it is
 * stored. A crash at any moment leaves either the old or the new one. Source: Talos v1.14:
 * ApplyConfiguration.
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
