import type { NodeStatusSpec } from '@nodewright/state/kinds';
import type { KubeNodeState, PodRow } from '../protocol/messages.ts';
import { type Fields, fieldsOf, listOf } from './read-fields.ts';

const roleLabel = 'node-role.kubernetes.io/';
/** Of each text, in characters. */
const longestText = 500;

/** What the page shows of a NodeStatus. Source: Kubernetes: labels. */
export const kubeNode = ({ nodename, nodeReady, unschedulable, labels, podCIDRs }: NodeStatusSpec) =>
  ({
    ...{ name: nodename, isReady: nodeReady, isCordoned: unschedulable, podCidrs: podCIDRs },
    roles: Object.keys(labels)
      .filter((label) => label.startsWith(roleLabel))
      .map((label) => label.slice(roleLabel.length))
      .sort(),
  }) satisfies KubeNodeState;

/**
 * What the page shows of the status of a pod, which is JSON of any form: what is not as Kubernetes defines it is left out.
 * Source: Kubernetes: PodStatus (v1).
 *
 * @param name with the namespace
 */
export function podRow(name: string, status: unknown): PodRow {
  const fields = fieldsOf(status);
  const containers = listOf(fields.containerStatuses);
  const ready = listOf(fields.conditions).find(({ type }) => type === 'Ready');
  const isReady = ready?.status === 'True';
  const waiting = containers.map(({ state }) => fieldsOf(fieldsOf(state).waiting));
  return {
    ...{ name, phase: textOf(fields.phase) || 'Unknown', isReady },
    restarts: containers.reduce((sum, { restartCount }) => sum + numberOf(restartCount), 0),
    reason: isReady
      ? ''
      : ([fields, ...waiting, ready ?? {}].map(reasonOf).find((each) => each !== '') ?? ''),
  };
}

function reasonOf({ reason, message }: Fields): string {
  return [textOf(reason), textOf(message)].filter((part) => part !== '').join(': ');
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, longestText) : '');
const numberOf = (value: unknown) => (typeof value === 'number' && Number.isSafeInteger(value) ? value : 0);
