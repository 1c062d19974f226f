import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import type { MetaStore } from '../controllers/meta-store.ts';
import { checkCallersMetaKey } from '../domain/meta-values.ts';

/** MetaWrite, MetaDelete. Source: Talos v1.14: MachineService, control. */
export function createMeta(store: MetaStore): Pick<MachineServiceImplementation, 'metaWrite' | 'metaDelete'> {
  return {
    async metaWrite({ key, value }) {
      checkCallersMetaKey(key);
      await store.write(key, value);
      return { messages: [{}] };
    },
    async metaDelete({ key }) {
      checkCallersMetaKey(key);
      await store.delete(key);
      return { messages: [{}] };
    },
  };
}
