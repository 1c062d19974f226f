import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import type { MetaStore } from '../controllers/meta-store.ts';
import { checkCallersMetaKey } from '../domain/meta-values.ts';

/**
 * MetaWrite, MetaDelete. Source: Talos v1.14: MachineService, control.
 *
 * @param heldFor why META must stay as it is now; undefined when it need not
 */
export function createMeta(
  store: MetaStore,
  heldFor: () => string | undefined,
): Pick<MachineServiceImplementation, 'metaWrite' | 'metaDelete'> {
  const refuseHeld = () => {
    const reason = heldFor();
    if (reason !== undefined) throw new Fault('failed-precondition', reason);
  };
  return {
    async metaWrite({ key, value }) {
      checkCallersMetaKey(key);
      refuseHeld();
      await store.write(key, value);
      return { messages: [{}] };
    },
    async metaDelete({ key }) {
      checkCallersMetaKey(key);
      refuseHeld();
      await store.delete(key);
      return { messages: [{}] };
    },
  };
}
