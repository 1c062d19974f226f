import { type Controller, exclusive, type ReconcilePass, weak } from '@nodewright/controllers';
import { ConfigReader, DocumentReader, legacyKind } from '@nodewright/machine-config';
import { pointerTo } from '@nodewright/state';
import {
  type DeviceConfigSpecSpec,
  deviceConfigSpecs,
  devicesStatuses,
  linkStatuses,
  machineConfigs,
} from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { type DeviceConfig, expandEntries, type PresentLink } from '../domain/device-configs.ts';
import type { NetworkProblems } from './network-problems.ts';

/**
 * Expands the old list of interfaces to one resource per entry and link. Source: Talos v1.14:
 * network.DeviceConfigController.
 */
export function createDeviceConfigController(problems: NetworkProblems): Controller {
  const name = 'network.DeviceConfigController';
  return {
    name,
    inputs: [weak(machineConfigs, activeConfigId), weak(linkStatuses), weak(devicesStatuses)],
    outputs: [exclusive(deviceConfigSpecs)],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      const { legacy } = new ConfigReader(configuration?.documents ?? []);
      const expanded = expandEntries(
        legacy.items('machine', 'network', 'interfaces'),
        await presentLinks(pass),
      );
      const devices = expanded.devices.map(({ name: link, entry }) => ({ ...entry.map(), interface: link }));
      // A selector may match what is known when all devices are.
      const isKnown = (await pass.get(pointerTo(devicesStatuses)))?.spec.ready === true;
      const lines = isKnown ? expanded.problems : [];
      problems.set(
        name,
        lines.map((line) => ({ subject: 'addresses', line })),
      );
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
