// The upgrade of one node as a record on its disk: what it is, and how far it is. A machined that starts goes on with it.

/** The steps of an upgrade, in their order. */
export const planSteps = [
  /** etcd can do without this node. Before it nothing has changed. */
  'quorum',
  /** This node has the turn of those who may make themselves unavailable. */
  'turn',
  'cordon',
  'drain',
  'write',
  'reboot',
  /** The machine runs the new system. */
  'check',
  /** The new system is kept. */
  'confirm',
  'uncordon',
] as const;
export type PlanStep = (typeof planSteps)[number];

/** `restart`: a Reboot that tries a system which was written before. */
export const planKinds = ['upgrade', 'restart'] as const;
export const planPhases = ['running', 'done', 'failed'] as const;
export const restartKinds = ['graceful', 'power-cycle'] as const;

const skippedByRestart: readonly PlanStep[] = ['quorum', 'cordon', 'drain', 'write', 'uncordon'];

export interface NodePlan {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly kind: (typeof planKinds)[number];
  /** The artefact with its digest; empty for a restart. */
  readonly image: string;
  readonly allowsDowngrade: boolean;
  readonly dropsExtensions: boolean;
  /** Whether the caller wants no check of etcd. */
  readonly ignoresEtcd: boolean;
  readonly restart: (typeof restartKinds)[number];
  /** Of the events. */
  readonly actorId: string;
  readonly phase: (typeof planPhases)[number];
  readonly step: PlanStep;
  /** Why it has failed; otherwise empty. */
  readonly reason: string;
  /** The slot that ran when it began; empty when that was not known. */
  readonly slotBefore: string;
  /** The slot of the new system; empty before it is written. */
  readonly slot: string;
  /** How often this node was told to restart into the new system. */
  readonly restarts: number;
}

/** Limits of a record, in characters unless a name says otherwise. */
export const nodePlanLimits = {
  imageLength: 2048,
  /** What is longer is cut. */
  reasonLength: 500,
  actorLength: 64,
  /** A machine that has restarted so often and runs the system before has failed. */
  restarts: 3,
  sizeBytes: 16_384,
} as const;

/** The steps of a plan, in their order. */
export const stepsOf = ({ kind }: Pick<NodePlan, 'kind'>): readonly PlanStep[] =>
  kind === 'upgrade' ? planSteps : planSteps.filter((step) => !skippedByRestart.includes(step));

/** Whether the step is one of those before the machine goes down. */
export const isBeforeReboot = (step: PlanStep): boolean =>
  planSteps.indexOf(step) < planSteps.indexOf('reboot');

/** Whether the Kubernetes node takes no pods. */
export const cordons = ({ kind, phase, step }: NodePlan): boolean =>
  kind === 'upgrade' && phase === 'running' && !['quorum', 'turn', 'uncordon'].includes(step);

/** One line of limited length. */
export function shortReason(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ').toWellFormed();
  if (line.length <= nodePlanLimits.reasonLength) return line;
  return `${line.slice(0, nodePlanLimits.reasonLength - 3).toWellFormed()}...`;
}
