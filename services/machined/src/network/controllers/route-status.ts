import { type Controller, exclusive } from '@nodewright/controllers';
import { routeStatuses } from '@nodewright/state/kinds';
import { type OpenNetwork, openKernelWatch } from './open-kernel-watch.ts';
import { routeStatusesOf } from './route-statuses.ts';

/** The routes of the kernel, in all tables. Source: Talos v1.14: network.RouteStatusController. */
export function createRouteStatusController(network: OpenNetwork): Controller {
  return {
    name: 'network.RouteStatusController',
    inputs: [],
    outputs: [exclusive(routeStatuses)],
    // The kernel reports no removal of the IPv4 routes of a link that is removed.
    open: openKernelWatch(network, ['route', 'address', 'link']),
    async reconcile(pass) {
      const kernel = await network();
      const routes = kernel.routes();
      await pass.replace(routeStatuses, routeStatusesOf(routes, kernel.links()));
    },
  };
}
