import { type Controller, shared } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { etcFileSpecs, identities } from '@nodewright/state/kinds';
import { machineIdOf } from '../domain/node-identity.ts';

/**
 * Writes the id of this node, which stays the same after every start, and the machine id that follows from
 * it.
 *
 * @param openIdentity returns the id; creates and stores one if there is none
 */
export function nodeIdentityController(openIdentity: () => Promise<string>): Controller {
  return {
    name: 'cluster.NodeIdentityController',
    inputs: [],
    outputs: [shared(identities), shared(etcFileSpecs)],
    async reconcile(pass) {
      const nodeId = await openIdentity();
      await pass.put({ ...pointerTo(identities), spec: { nodeId } });
      const file = { contents: machineIdOf(nodeId), mode: 0o444, selinux_label: '' };
      await pass.put({ ...pointerTo(etcFileSpecs, 'machine-id'), spec: file });
    },
  };
}
