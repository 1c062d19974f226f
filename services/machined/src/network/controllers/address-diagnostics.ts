import { type Controller, shared, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { diagnostics, linkStatuses, nodeAddresses } from '@nodewright/state/kinds';
import { missingAddress } from '../domain/missing-address.ts';

const loopback = 'lo';

/**
 * A diagnostic while a machine has no address: nothing else can say so over the network.
 *
 * @param problem why the kernel's command line gave the machine no address; undefined when it gave one
 */
export function createAddressDiagnosticsController(problem: string | undefined): Controller {
  return {
    name: 'network.AddressDiagnosticsController',
    inputs: [weak(nodeAddresses, 'current'), weak(linkStatuses)],
    outputs: [shared(diagnostics)],
    async reconcile(pass) {
      const links = await pass.list(linkStatuses);
      // The kernel was not read yet.
      if (links.length === 0) return;
      const spec = missingAddress({
        addresses: (await pass.get(pointerTo(nodeAddresses, 'current')))?.spec.addresses ?? [],
        links: links
          .filter(({ metadata }) => metadata.id !== loopback)
          .map(({ metadata, spec }) => ({ name: metadata.id, operationalState: spec.operationalState })),
        problem,
      });
      await pass.replace(diagnostics, spec === undefined ? [] : [{ id: 'address-missing', spec }]);
    },
  };
}
