import { nodeNameInLine } from '../node-name.ts';

/** An action on a node, as a user has chosen it. */
export type PlannedAction =
  | { readonly kind: 'reboot'; readonly mode: 'default' | 'powercycle' | 'force' }
  | { readonly kind: 'shutdown' }
  | {
      readonly kind: 'reset';
      /** Whether the node leaves etcd and the cluster first. */
      readonly isGraceful: boolean;
      readonly reboots: boolean;
      /** What is wiped on the system disk: everything, nothing, or volumes by label. */
      readonly wiped: 'everything' | 'nothing' | readonly string[];
      /** Paths of other disks that are wiped. */
      readonly userDisks: readonly string[];
    }
  /** Writes a new system that the next start tries, whatever its cause. Nothing stops. */
  | { readonly kind: 'upgrade' }
  | { readonly kind: 'service'; readonly verb: 'start' | 'stop' | 'restart'; readonly id: string };

const methods = {
  reboot: 'MachineService/Reboot',
  shutdown: 'MachineService/Shutdown',
  reset: 'MachineService/Reset',
  upgrade: 'LifecycleService/Upgrade',
  start: 'MachineService/ServiceStart',
  stop: 'MachineService/ServiceStop',
  restart: 'MachineService/ServiceRestart',
} as const;

/** The full name of the method that starts the action. */
export function actionMethod(action: PlannedAction): string {
  return `/machine.${methods[action.kind === 'service' ? action.verb : action.kind]}`;
}

/** The action as the words of its command: `reboot`, `service etcd restart`. */
export function actionName(action: PlannedAction): string {
  return action.kind === 'service' ? `service ${action.id} ${action.verb}` : action.kind;
}

/** What the action does to a node, as a text that follows the node's name: `reboots`. */
export function actionText(action: PlannedAction): string {
  switch (action.kind) {
    case 'reboot':
      return `reboots${action.mode === 'force' ? ', without stopping its services first' : ''}`;
    case 'shutdown':
      return 'shuts down, and stays off until it is started by hand';
    case 'upgrade':
      return 'gets a new system beside the one that runs, and restarts nothing';
    case 'service':
      return `${action.verb}s its service ${nodeNameInLine(action.id)}`;
    case 'reset': {
      const { isGraceful, reboots, userDisks } = action;
      const leave = isGraceful ? 'leaves the cluster' : 'does not leave the cluster first';
      const lost = [...systemParts(action.wiped), ...userDisks].join(', ');
      const wipes = lost === '' ? 'loses nothing' : `loses ${lost} for good`;
      return `${leave}, ${wipes}, and ${reboots ? 'reboots' : 'stays down'}`;
    }
  }
}

function systemParts(wiped: 'everything' | 'nothing' | readonly string[]): readonly string[] {
  if (wiped === 'nothing') return [];
  return wiped === 'everything' ? ['its configuration, its identity and all of its data'] : wiped;
}

/** Whether the nodes remove their members from etcd first, which lowers the quorum. */
export function leavesEtcd(action: PlannedAction): boolean {
  return action.kind === 'reset' && action.isGraceful;
}

/** Whether the action ends what runs in etcd on the nodes, for a while or for good. */
export function stopsEtcd(action: PlannedAction): boolean {
  if (action.kind === 'upgrade') return false;
  return action.kind !== 'service' || (action.id === 'etcd' && action.verb !== 'start');
}
