import { type Controller, exclusive, shared } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { bootedEntries, diagnostics, upgradeStatuses } from '@nodewright/state/kinds';
import { upgradeDiagnostics, upgradeStatusOf } from '../domain/upgrade-status.ts';
import type { UpgradeStateHolder } from '../host/upgrade-state.ts';

/**
 * Publishes what the machine knows of its systems.
 *
 * @param slot the slot that runs
 */
export function upgradeStatusController(slot: string, holder: UpgradeStateHolder): Controller {
  return {
    name: 'runtime.UpgradeStatusController',
    inputs: [],
    outputs: [exclusive(upgradeStatuses), shared(diagnostics)],
    open(source, scope) {
      scope.use(holder.onChange(() => source.wake()));
    },
    async reconcile(pass) {
      const state = holder.current();
      await pass.put({ ...pointerTo(upgradeStatuses), spec: upgradeStatusOf(slot, state) });
      await pass.replace(
        diagnostics,
        Object.entries(upgradeDiagnostics(state)).map(([id, spec]) => ({ id, spec })),
      );
    },
  };
}

/** Publishes the entry that systemd-boot has started. Source: Talos v1.14: COSI resources, BootedEntries. */
export function bootedEntryController(readEntry: () => Promise<string | undefined>): Controller {
  return {
    name: 'runtime.BootedEntryController',
    inputs: [],
    outputs: [exclusive(bootedEntries)],
    async reconcile(pass) {
      const bootedEntry = await readEntry();
      await pass.replace(
        bootedEntries,
        bootedEntry === undefined ? [] : [{ id: bootedEntries.singleton, spec: { bootedEntry } }],
      );
    },
  };
}
