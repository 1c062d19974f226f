import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { type MachineStageName, machineStatuses, nodeCordonedSpecs } from '@nodewright/state/kinds';

const status = pointerTo(machineStatuses);

/** Whether a stage cordons the node. In the stages that are missing it stays as it is. */
const cordons: Readonly<Partial<Record<MachineStageName, boolean>>> = {
  'shutting down': true,
  upgrading: true,
  resetting: true,
  booting: false,
  running: false,
};

/** Cordons the node before the machine goes down. Source: Talos v1.14: k8s.NodeCordonedSpecController. */
export function createNodeCordonedController(): Controller {
  return {
    name: 'k8s.NodeCordonedSpecController',
    inputs: [weak(machineStatuses, status.id)],
    outputs: [exclusive(nodeCordonedSpecs)],
    async reconcile(pass) {
      const stage = (await pass.get(status))?.spec.stage;
      const isCordoned = stage && cordons[stage];
      if (isCordoned === undefined) return;
      await pass.replace(
        nodeCordonedSpecs,
        isCordoned ? [{ id: nodeCordonedSpecs.singleton, spec: {} }] : [],
      );
    },
  };
}
