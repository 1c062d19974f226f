import { serviceIds } from '@nodewright/contract';
import { type Controller, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { machineConfigs, services } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import { udevRulesText } from '../domain/udev-rules.ts';

export interface UdevRulesInit {
  /** Writes the rules. @returns whether they are others than before */
  readonly writeRules: (text: string) => Promise<boolean>;
  /** Makes a running udevd apply the rules to all devices. @throws Fault */
  readonly applyRules: (signal: AbortSignal) => Promise<void>;
}

/**
 * Writes the rules of the configuration, and has a running udevd apply them to all devices at once. Source: Talos v1.14:
 * files.UdevRulesController.
 */
export function udevRulesController({ writeRules, applyRules }: UdevRulesInit): Controller {
  let isOutdated = false;
  return {
    name: 'files.UdevRulesController',
    inputs: [weak(machineConfigs, activeConfigId), weak(services, serviceIds.udevd)],
    outputs: [],
    async reconcile(pass) {
      const configuration = await configurationOf(pass);
      if (await writeRules(udevRulesText(configuration?.effective.udevRules ?? []))) isOutdated = true;
      const udevd = (await pass.get(pointerTo(services, serviceIds.udevd)))?.spec;
      // It reads all rules when it starts.
      if (udevd?.running !== true) isOutdated = false;
      // The first health check makes it process all devices; until that is over, more work would only delay it.
      if (!isOutdated || udevd?.healthy !== true) return;
      await applyRules(pass.signal);
      isOutdated = false;
    },
  };
}
