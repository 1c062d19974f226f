import { type MethodRule, type Role, roles } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';

/** The facts about a node that decide which calls it accepts. */
export interface CallSurroundings {
  readonly isControlPlane: boolean;
  /** Whether the node waits for its first configuration. */
  readonly isMaintenance: boolean;
  /** Whether STATE holds a configuration, complete or not, or damaged, or may hold one. Asked in maintenance only. */
  readonly holdsConfiguration: () => boolean;
  /** Whether the node refuses calls about a whole machine. */
  readonly refusesMachineCalls: boolean;
  /** What starts the node follows its choice between two systems. */
  readonly hasSystems: boolean;
  /** Whether the next start tries another system, or begins with an upgrade. Asked of a node with such systems only. */
  readonly hasChosen: () => boolean;
}

/**
 * Why a call must not reach its handler, or undefined when it may. Roles are checked first, so that a caller
 * without permission learns nothing from the other errors. A method without a rule requires the
 * administrator. Source: Talos v1.14: method check, methods of control planes only, container mode.
 */
export function checkCall(
  rule: MethodRule | undefined,
  caller: ReadonlySet<Role>,
  node: CallSurroundings,
): Fault | undefined {
  const allowed = rule?.roles ?? [roles.admin];
  const isAllowed = allowed.some((role) => caller.has(role));
  const isOpen = rule?.maintenance !== true || node.isMaintenance || caller.has(roles.admin);
  if (!isAllowed || !isOpen) return new Fault('permission-denied', 'not authorized');

  if (rule?.readsFiles === true && node.isMaintenance && node.holdsConfiguration()) {
    return new Fault(
      'failed-precondition',
      'the node is in maintenance, and STATE holds a configuration: no file is read until a complete one is applied',
    );
  }
  if (node.refusesMachineCalls) {
    const refusal = containerRefusal(rule?.containerMode, node);
    if (refusal !== undefined) return new Fault('failed-precondition', refusal);
  }
  if (rule?.controlPlaneOnly !== undefined && !node.isControlPlane) {
    return new Fault('unimplemented', `${rule.controlPlaneOnly} is only available on control plane nodes`);
  }
  return undefined;
}

const notInContainers = 'method is not supported in container mode';

function containerRefusal(mode: MethodRule['containerMode'], node: CallSurroundings): string | undefined {
  if (mode === undefined) return undefined;
  if (mode === 'refused') return notInContainers;
  if (mode === 'without keeper')
    return node.hasSystems
      ? undefined
      : `${notInContainers}: nothing here starts another image; start a container of the new one with the volumes of this one`;
  return node.hasSystems && node.hasChosen() ? undefined : notInContainers;
}
