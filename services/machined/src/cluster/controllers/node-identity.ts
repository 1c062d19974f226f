import { type Controller, shared } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { etcFileSpecs, identities } from '@nodewright/state/kinds';
import { machineIdOf } from '../domain/node-identity.ts';

/**
 * Who this node is, the same after every start, and the machine id that follows from it.
 *
 * @param openIdentity gives the id, or makes one and keeps it
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
