import type { OutsideNeed, TrialProblem } from '@nodewright/boot';
import type { MachineStatusSpec, UnmetConditionSpec } from '@nodewright/state/kinds';

/**
 * What a machine lacks, each with its cause. What others have to give is a cause of its own: time servers, other nodes that sign certificates
 * or serve Kubernetes, and the quorum of etcd. Everything else is a fault of the node.
 */
export function trialProblems({ status }: Pick<MachineStatusSpec, 'status'>): readonly TrialProblem[] {
  const { unmetConditions } = status;
  const hasEtcdProblem = unmetConditions.some(
    ({ name, reason }) => name === 'services' && reason.split(', ').some(isOfEtcd),
  );
  return unmetConditions.flatMap((condition) => problemsOf(condition, hasEtcdProblem));
}

/** What a machine lacks that others have to give. */
export function outsideNeedsOf(
  status: Pick<MachineStatusSpec, 'status'> | undefined,
): readonly OutsideNeed[] {
  const causes = status === undefined ? [] : trialProblems(status).map(({ cause }) => cause);
  return [...new Set(causes)].filter((cause) => cause !== 'node');
}

const isOfEtcd = (text: string) => text.startsWith('etcd ');

function problemsOf({ name, reason }: UnmetConditionSpec, hasEtcdProblem: boolean): TrialProblem[] {
  switch (name) {
    case 'time':
      return [{ text: reason, cause: 'time servers' }];
    case 'services':
      return reason.split(', ').map((text) => ({ text, cause: causeOfService(text) }));
    case 'staticPods':
      // Without etcd no API server is ready.
      return [{ text: reason, cause: hasEtcdProblem ? 'quorum' : 'node' }];
    case 'nodeReady':
      return [{ text: reason, cause: causeOfNode(reason, hasEtcdProblem) }];
    default:
      return [{ text: reason, cause: 'node' }];
  }
}

function causeOfService(text: string): TrialProblem['cause'] {
  // etcd that runs and has no quorum is not healthy. One that does not run is a fault of the node.
  if (isOfEtcd(text)) return text.endsWith('not healthy') ? 'quorum' : 'node';
  return text.endsWith('waits for its certificate') ? 'other nodes' : 'node';
}

/** Kubernetes does not say anything of the node when no API server answers. */
function causeOfNode(reason: string, hasEtcdProblem: boolean): TrialProblem['cause'] {
  if (!reason.endsWith('is not available yet')) return 'node';
  return hasEtcdProblem ? 'quorum' : 'other nodes';
}
