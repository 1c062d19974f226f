import { type Controller, exclusive } from '@nodewright/controllers';
import { routeStatuses } from '@nodewright/state/kinds';
import { type OpenNetwork, openKernelWatch } from './open-kernel-watch.ts';
import { routeStatusesOf } from './route-statuses.ts';

/** The routes that the kernel has, of all tables. Source: Talos v1.14: network.RouteStatusController. */
export function createRouteStatusController(network: OpenNetwork): Controller {
  return {
    name: 'network.RouteStatusController',
    inputs: [],
    outputs: [exclusive(routeStatuses)],
    // The kernel does not tell of IPv4 routes that go with their link.
    open: openKernelWatch(network, ['route', 'address', 'link']),
    async reconcile(pass) {
      const kernel = await network();
      const routes = kernel.routes();
      await pass.replace(routeStatuses, routeStatusesOf(routes, kernel.links()));
    },
  };
}
