import { type Controller, exclusive, type ReconcilePass, weak } from '@nodewright/controllers';
import { ConfigReader, DocumentReader, legacyKind } from '@nodewright/machine-config';
import {
  type DeviceConfigSpecSpec,
  deviceConfigSpecs,
  linkStatuses,
  machineConfigs,
} from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { type DeviceConfig, linksOfEntry, type PresentLink } from '../domain/device-configs.ts';

/**
 * Expands the old list of interfaces to one resource per entry and link. Source: Talos v1.14:
 * network.DeviceConfigController.
 */
export function createDeviceConfigController(): Controller {
  return {
    name: 'network.DeviceConfigController',
    inputs: [weak(machineConfigs, activeConfigId), weak(linkStatuses)],
    outputs: [exclusive(deviceConfigSpecs)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const { legacy } = new ConfigReader(configuration?.documents ?? []);
      const links = await presentLinks(pass);
      const devices = legacy
        .items('machine', 'network', 'interfaces')
        .flatMap((entry) => linksOfEntry(entry, links).map((name) => ({ ...entry.map(), interface: name })));
      await pass.replace(
        deviceConfigSpecs,
        devices.map((device, index) => ({
          id: `${device.interface}/${String(index).padStart(3, '0')}`,
          spec: { device: device as DeviceConfigSpecSpec['device'] },
        })),
      );
    },
  };
}

export async function presentLinks(pass: ReconcilePass): Promise<PresentLink[]> {
  return (await pass.list(linkStatuses)).map(({ metadata, spec }) => ({ name: metadata.id, spec }));
}

/** The entries of these resources. */
export async function deviceConfigs(pass: ReconcilePass): Promise<DeviceConfig[]> {
  return (await pass.list(deviceConfigSpecs)).map(({ spec }) => {
    const entry = new DocumentReader({
      kind: legacyKind,
      value: spec.device as DocumentReader['document']['value'],
    });
    return { name: entry.text('interface'), entry };
  });
}
