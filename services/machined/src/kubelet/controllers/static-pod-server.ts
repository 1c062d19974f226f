import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { staticPodServerStatuses, staticPods } from '@nodewright/state/kinds';
import { podListText } from '../domain/pod-list.ts';
import { openStaticPodServer, type StaticPodServer } from '../host/static-pod-server.ts';

/**
 * Serves the static pods of the node to its kubelet and publishes the address of the server. Source: Talos v1.14:
 * k8s.StaticPodServerController.
 */
export function createStaticPodServerController(open = openStaticPodServer): Controller {
  let server: StaticPodServer | undefined;
  return {
    name: 'k8s.StaticPodServerController',
    inputs: [weak(staticPods)],
    outputs: [exclusive(staticPodServerStatuses)],
    async open(source, scope) {
      server = scope.use(await open((error) => source.fail(error)));
    },
    async reconcile(pass) {
      if (server === undefined) return;
      const pods = await pass.list(staticPods);
      server.serve(podListText(pods.map(({ spec }) => spec.pod)));
      const spec = { url: server.url };
      await pass.replace(staticPodServerStatuses, [{ id: staticPodServerStatuses.singleton, spec }]);
    },
  };
}
