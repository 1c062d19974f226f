export { applyStep, spendTime } from './domain/apply-step.ts';
export { changePlan, type PlanRequest } from './domain/change-plan.ts';
export { type CreatePlanInit, createPlan, type PlanResult } from './domain/create-plan.ts';
export { decideStep, type RolloutStep } from './domain/decide-step.ts';
export { decideTurn, type TurnDecision, type TurnFacts } from './domain/decide-turn.ts';
export { type ActionState, type ClusterFacts, gateProblem, type NodeFacts } from './domain/gate.ts';
export { planFromBytes, planToBytes } from './domain/plan-text.ts';
export { type PreviewRow, previewPlan } from './domain/preview-plan.ts';
export {
  isGranted,
  isOver,
  isSettled,
  type NodeProgress,
  type NodeRole,
  type PlannedNode,
  planLimits,
  type RolloutPhase,
  type RolloutPlan,
  shortReason,
  unfinishedText,
} from './domain/rollout-plan.ts';
export type { Wellness } from './domain/wellness.ts';
export { type ActInTurnInit, actInTurn, type TurnOutcome, type TurnTimes } from './host/act-in-turn.ts';
export {
  type DriveOutcome,
  type DriveRolloutInit,
  type DriverEvent,
  driveRollout,
  driverPollMs,
} from './host/drive-rollout.ts';
export {
  createEtcdPlanStore,
  rolloutDriverName,
  rolloutPlanKey,
  rolloutTurnName,
} from './host/etcd-plan-store.ts';
export { type FollowRolloutsInit, followRollouts } from './host/follow-rollouts.ts';
export { beginOf, beginPlan, requestPlan } from './host/request-plan.ts';
export type { ClusterView, NodeActions, PlanStore, StoredPlan } from './host/rollout-ports.ts';
export { type TakeTurnInit, type Turn, takeTurn } from './host/turn.ts';
