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

/** Stages that end the machine whatever an upgrade of it waits for. They drain the node, so it is to take no pods. */
const endings: readonly (MachineStageName | undefined)[] = ['shutting down', 'resetting'];

/** @returns undefined: it stays as it is */
function isNodeCordoned(
  stage: MachineStageName | undefined,
  plan: { readonly phase: string; readonly cordons: boolean } | undefined,
): boolean | undefined {
  if (endings.includes(stage)) return true;
  // Until its record is read, nobody knows whether an upgrade has cordoned the node.
  if (plan?.phase === 'unknown') return undefined;
  if (plan?.phase !== 'running') return stage && cordons[stage];
  // A reset restarts the machine at its end: the node takes no pods until then.
  if (stage === 'rebooting' && !plan.cordons) return undefined;
  return plan.cordons;
}

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
      const stage = (await pass.get(status))?.spec.stage;
      const isCordoned = isNodeCordoned(stage, plan);
      if (isCordoned === undefined) return;
      await pass.replace(
        nodeCordonedSpecs,
        isCordoned ? [{ id: nodeCordonedSpecs.singleton, spec: {} }] : [],
      );
    },
  };
}
