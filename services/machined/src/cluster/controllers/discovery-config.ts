import { type Controller, destroyReady, weak } from '@nodewright/controllers';
import { discoveryConfigs, infos, machineConfigs } from '@nodewright/state/kinds';
import { configuredController } from '../../base/controllers/configured-controller.ts';
import { clusterInfo, discoveryConfig } from '../domain/discovery-config.ts';

/** How nodes find each other, as the configuration says. */
export const clusterConfigController = (): Controller =>
  configuredController({
    name: 'cluster.ConfigController',
    inputs: [weak(machineConfigs), destroyReady(discoveryConfigs)],
    output: discoveryConfigs,
    wanted: (config) =>
      config.isComplete ? [{ id: discoveryConfigs.singleton, spec: discoveryConfig(config) }] : [],
  });

/** Which cluster this is. */
export const clusterInfoController = (): Controller =>
  configuredController({
    name: 'cluster.InfoController',
    inputs: [weak(machineConfigs), destroyReady(infos)],
    output: infos,
    wanted(config) {
      const spec = clusterInfo(config);
      return spec === undefined ? [] : [{ id: infos.singleton, spec }];
    },
  });
