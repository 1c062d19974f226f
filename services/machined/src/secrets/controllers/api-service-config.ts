import { type Controller, exclusive, strong, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  apiCertificates,
  apiServiceConfigs,
  maintenanceServiceConfigs,
  maintenanceServiceRequests,
} from '@nodewright/state/kinds';
import { apiServiceConfig } from '../domain/api-service-config.ts';

const request = pointerTo(maintenanceServiceRequests);

/**
 * The listener settings of apid. The controller keeps a finalizer on the maintenance request until apid was
 * told to close its maintenance listener. Source: Talos v1.14: runtime.APIServiceConfigController.
 */
export function createApiServiceConfigController(listenAddress: string): Controller {
  return {
    name: 'runtime.APIServiceConfigController',
    inputs: [
      strong(maintenanceServiceRequests, request.id),
      weak(maintenanceServiceConfigs, maintenanceServiceConfigs.singleton),
      weak(apiCertificates, apiCertificates.singleton),
    ],
    outputs: [exclusive(apiServiceConfigs)],
    async reconcile(pass) {
      const requested = await pass.get(request);
      const isMaintenance = requested?.metadata.phase === 'running';
      if (isMaintenance) await pass.hold(request);
      const spec = apiServiceConfig({
        isMaintenance,
        maintenance: (await pass.get(pointerTo(maintenanceServiceConfigs)))?.spec,
        certificates: (await pass.get(pointerTo(apiCertificates)))?.spec,
        listenAddress,
      });
      await pass.replace(
        apiServiceConfigs,
        spec === undefined ? [] : [{ id: apiServiceConfigs.singleton, spec }],
      );
      if (requested !== undefined && !isMaintenance) await pass.release(request);
    },
  };
}
