import { type Controller, exclusive } from '@nodewright/controllers';
import { routingRuleStatuses } from '@nodewright/state/kinds';
import { type OpenNetwork, openKernelWatch } from './open-kernel-watch.ts';
import { routingRuleStatusesOf } from './route-statuses.ts';

/**
 * The rules by which the kernel selects a routing table. Source: Talos v1.14:
 * network.RoutingRuleStatusController.
 */
export function createRoutingRuleStatusController(network: OpenNetwork): Controller {
  return {
    name: 'network.RoutingRuleStatusController',
    inputs: [],
    outputs: [exclusive(routingRuleStatuses)],
    open: openKernelWatch(network, ['rule']),
    async reconcile(pass) {
      const kernel = await network();
      await pass.replace(routingRuleStatuses, routingRuleStatusesOf(kernel.rules()));
    },
  };
}
