import { type Controller, destroyReady, weak } from '@nodewright/controllers';
import { discoveryConfigs, infos, machineConfigs } from '@nodewright/state/kinds';
import { configuredController } from '../../base/controllers/configured-controller.ts';
import { clusterInfo, discoveryConfig } from '../domain/discovery-config.ts';

/** Writes how nodes discover each other, from the configuration. */
export const clusterConfigController = (): Controller =>
  configuredController({
    name: 'cluster.ConfigController',
    inputs: [weak(machineConfigs), destroyReady(discoveryConfigs)],
    output: discoveryConfigs,
    wanted: (config) =>
      config.isComplete ? [{ id: discoveryConfigs.singleton, spec: discoveryConfig(config) }] : [],
  });

/** Writes the id and the name of the cluster, from the configuration. */
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
