import { type Controller, shared, weak } from '@nodewright/controllers';
import { endpoints, members } from '@nodewright/state/kinds';
import { discoveredEndpoints } from '../domain/affiliates.ts';

/** Where the control planes are, as the members tell. */
export function endpointController(): Controller {
  return {
    name: 'cluster.EndpointController',
    inputs: [weak(members)],
    outputs: [shared(endpoints)],
    async reconcile(pass) {
      const spec = discoveredEndpoints((await pass.list(members)).map((member) => member.spec));
      await pass.replace(endpoints, spec === undefined ? [] : [{ id: 'discovery', spec }]);
    },
  };
}
