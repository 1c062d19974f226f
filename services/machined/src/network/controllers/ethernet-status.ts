import { type Controller, exclusive } from '@nodewright/controllers';
import { ethernetStatuses } from '@nodewright/state/kinds';
import { ethernetStatusOf } from '../domain/ethernet-status.ts';
import { isHardware } from '../domain/find-link.ts';
import { type OpenNetwork, openKernelWatch } from './open-kernel-watch.ts';

/** Links of containers come and go all the time, and each event makes a pass. */
const pauseMs = 1000;

/**
 * What the drivers of Ethernet devices report. A change of rings or channels, of which the kernel sends no event about the link, is shown with
 * the next event. Source: Talos v1.14: network.EthernetStatusController.
 */
export function createEthernetStatusController(network: OpenNetwork): Controller {
  let nextMs = Number.NEGATIVE_INFINITY;
  return {
    name: 'network.EthernetStatusController',
    inputs: [],
    outputs: [exclusive(ethernetStatuses)],
    open: openKernelWatch(network, ['link']),
    async reconcile(pass) {
      const now = pass.monotonicMs();
      if (now < nextMs) return pass.wakeAfter(nextMs - now);
      nextMs = now + pauseMs;
      const kernel = await network();
      await pass.replace(
        ethernetStatuses,
        kernel
          .links()
          .filter(isHardware)
          .map((link) => ({
            id: link.name,
            spec: ethernetStatusOf({
              state: kernel.stateOf(link),
              settings: kernel.ethernetOf(link),
              features: kernel.featuresOf(link),
            }),
          })),
      );
    },
  };
}
