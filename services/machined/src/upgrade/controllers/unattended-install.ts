import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { machineConfigs, unattendedInstallStatuses } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { installStatus } from '../domain/install-status.ts';
import type { InstallStateHolder } from '../host/install-state.ts';

/**
 * Publishes where the installation is that the configuration asks for, in either form. Talos
 * publishes that of the document only. Source: Talos v1.14: installation.
 */
export function unattendedInstallController(holder: InstallStateHolder): Controller {
  return {
    name: 'runtime.UnattendedInstallController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [exclusive(unattendedInstallStatuses)],
    open(source, scope) {
      scope.use(holder.onChange(() => source.wake()));
    },
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const spec = installStatus(holder.current(), configuration?.effective.install?.image);
      await pass.replace(
        unattendedInstallStatuses,
        spec === undefined ? [] : [{ id: unattendedInstallStatuses.singleton, spec }],
      );
    },
  };
}
