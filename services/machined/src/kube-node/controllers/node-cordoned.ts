import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  type MachineStageName,
  machineStatuses,
  nodeCordonedSpecs,
  upgradePlans,
} from '@nodewright/state/kinds';

const status = pointerTo(machineStatuses);
const upgrade = pointerTo(upgradePlans);

/** Whether a stage cordons the node. In the stages that are missing it stays as it is. */
const cordons: Readonly<Partial<Record<MachineStageName, boolean>>> = {
  'shutting down': true,
  upgrading: true,
  resetting: true,
  booting: false,
  running: false,
};

/**
 * Cordons the node before the machine goes down, and while an upgrade of it runs, until its new system is kept. Source: Talos v1.14:
 * k8s.NodeCordonedSpecController.
 */
export function createNodeCordonedController(): Controller {
  return {
    name: 'k8s.NodeCordonedSpecController',
    inputs: [weak(machineStatuses, status.id), weak(upgradePlans, upgrade.id)],
    outputs: [exclusive(nodeCordonedSpecs)],
    async reconcile(pass) {
      const plan = (await pass.get(upgrade))?.spec;
      // Until its record is read, nobody knows whether an upgrade has cordoned the node.
      if (plan?.phase === 'unknown') return;
      const stage = (await pass.get(status))?.spec.stage;
      const isCordoned = plan?.phase === 'running' ? plan.cordons : stage && cordons[stage];
      if (isCordoned === undefined) return;
      await pass.replace(
        nodeCordonedSpecs,
        isCordoned ? [{ id: nodeCordonedSpecs.singleton, spec: {} }] : [],
      );
    },
  };
}
