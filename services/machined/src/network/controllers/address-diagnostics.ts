import { type Controller, shared, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { addressSpecs, diagnostics, linkStatuses, nodeAddresses } from '@nodewright/state/kinds';
import { missingAddress } from '../domain/missing-address.ts';
import { inLayers } from './network-config.ts';
import type { NetworkProblems } from './network-problems.ts';

const loopback = 'lo';
/** How long the first address may take before its absence is a problem. */
const firstAddressMs = 2000;

/**
 * A diagnostic while a machine has no address: nothing else can say so over the network.
 *
 * @param problems why it may have none
 */
export function createAddressDiagnosticsController(problems: NetworkProblems): Controller {
  let hadAddress = false;
  let startMs: number | undefined;
  return {
    name: 'network.AddressDiagnosticsController',
    inputs: [weak(nodeAddresses, 'current'), weak(linkStatuses), weak(inLayers(addressSpecs))],
    outputs: [shared(diagnostics)],
    open(source, scope) {
      scope.use(problems.watch(() => source.wake()));
    },
    async reconcile(pass) {
      const links = await pass.list(linkStatuses);
      // The kernel was not read yet.
      if (links.length === 0) return;
      const addresses = (await pass.get(pointerTo(nodeAddresses, 'current')))?.spec.addresses ?? [];
      hadAddress ||= addresses.length > 0;
      const awaited = (await pass.list(inLayers(addressSpecs))).some(({ spec }) => spec.layer === 'cmdline');
      // The address of the command line is set a moment after the links are known.
      startMs ??= pass.monotonicMs();
      const waitedMs = pass.monotonicMs() - startMs;
      if (awaited && !hadAddress && problems.ofAddresses() === undefined && waitedMs < firstAddressMs)
        return pass.wakeAfter(firstAddressMs - waitedMs);
      const spec = missingAddress({
        addresses,
        links: links
          .filter(({ metadata }) => metadata.id !== loopback)
          .map(({ metadata, spec }) => ({ name: metadata.id, operationalState: spec.operationalState })),
        problem: problems.ofAddresses(),
      });
      await pass.replace(diagnostics, spec === undefined ? [] : [{ id: 'address-missing', spec }]);
    },
  };
}
