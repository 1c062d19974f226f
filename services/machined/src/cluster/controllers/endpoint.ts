import { type Controller, shared, weak } from '@nodewright/controllers';
import { endpoints, members } from '@nodewright/state/kinds';
import { discoveredEndpoints } from '../domain/affiliates.ts';

/** Writes the addresses of the control planes among the members. */
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
