import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { ConfigReader } from '@nodewright/machine-config';
import { ethernetSpecs, machineConfigs } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { ethernetSpecsOf } from '../domain/ethernet-documents.ts';

/** The settings of hardware from the configuration. Source: Talos v1.14: network.EthernetConfigController. */
export function createEthernetConfigController(): Controller {
  return {
    name: 'network.EthernetConfigController',
    inputs: [weak(machineConfigs, activeConfigId)],
    outputs: [exclusive(ethernetSpecs)],
    async reconcile(pass) {
      const reader = new ConfigReader((await configurationOf(pass))?.documents ?? []);
      await pass.replace(ethernetSpecs, ethernetSpecsOf(reader));
    },
  };
}
