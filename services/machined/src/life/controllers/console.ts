import { type Controller, weak } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import { parseCertificate } from '@nodewright/pki';
import type { ServiceRecords } from '@nodewright/services';
import { pointerTo } from '@nodewright/state';
import {
  apiCertificates,
  apiWaits,
  diagnostics,
  hostnameStatuses,
  machineStatuses,
  nodeAddresses,
} from '@nodewright/state/kinds';
import { addressOf } from '../../base/domain/prefix.ts';
import { initialPace, paceBlock } from '../domain/console-pace.ts';
import { consoleBlock } from '../domain/console-text.ts';

/** Shows a text on every console of the kernel. @throws Error when no console takes it */
export type WriteConsoles = (text: string) => Promise<void>;

/**
 * Shows the address, the fingerprint and the state of a machine, and what it waits for, on its consoles when they have
 * changed, at the pace of `paceBlock()`.
 */
export function consoleController(services: ServiceRecords, write: WriteConsoles): Controller {
  let pace = initialPace;
  return {
    name: 'runtime.ConsoleController',
    inputs: [
      weak(nodeAddresses, 'current'),
      weak(hostnameStatuses),
      weak(apiCertificates, apiCertificates.singleton),
      weak(apiWaits, apiWaits.singleton),
      weak(machineStatuses, machineStatuses.singleton),
      weak(diagnostics),
    ],
    outputs: [],
    open(source, scope) {
      scope.use(services.onChange(() => source.wake()));
    },
    async reconcile(pass) {
      const addresses = (await pass.get(pointerTo(nodeAddresses, 'current')))?.spec.addresses ?? [];
      const name = (await pass.list(hostnameStatuses)).at(0)?.spec;
      const certificate = (await pass.get(pointerTo(apiCertificates)))?.spec.server?.crt;
      const block = consoleBlock({
        hostname: name?.hostname ?? '',
        addresses: addresses.map(addressOf),
        fingerprint: certificate && parseCertificate(certificate).publicKeyFingerprint,
        isApiWaiting: (await pass.get(pointerTo(apiWaits))) !== undefined,
        status: (await pass.get(pointerTo(machineStatuses)))?.spec,
        services: services.records(),
        diagnostics: (await pass.list(diagnostics)).map(({ spec }) => spec),
      });
      const paced = paceBlock(pace, block, pass.monotonicMs());
      pace = paced.pace;
      if (paced.waitMs === undefined) return;
      if (paced.waitMs > 0) {
        pass.wakeAfter(paced.waitMs);
        return;
      }
      try {
        await write(`${block.text}\n`);
      } catch (error) {
        pass.log.debug(
          { error: faultFrom(error).message },
          'a console does not take the state of the machine',
        );
      }
    },
  };
}
