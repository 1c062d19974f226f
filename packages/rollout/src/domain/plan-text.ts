// The form of a plan in etcd: JSON. Every control plane can write to etcd, so what is read there is checked as a whole before it is used.
import { Fault } from '@nodewright/fault';
import type { PlanResult } from './create-plan.ts';
import { planProblem } from './plan-problem.ts';
import { type NodeProgress, type PlannedNode, planLimits, type RolloutPlan } from './rollout-plan.ts';

/** Of the form, so that a later version can tell. */
const format = 1;

/** @throws Fault `invalid-argument` for a plan that could not be read again */
export function planToBytes(plan: RolloutPlan): Uint8Array {
  const problem = planProblem(plan);
  if (problem !== undefined)
    throw new Fault('invalid-argument', `the plan of the roll-out is not valid: ${problem}`);
  const bytes = Buffer.from(JSON.stringify({ format, ...plan }));
  if (bytes.length > planLimits.sizeBytes)
    throw new Fault(
      'invalid-argument',
      `the plan of the roll-out has ${bytes.length} bytes, and at most ${planLimits.sizeBytes} are allowed`,
    );
  return bytes;
}

/** Reads a plan from etcd. Nothing of it is used when anything is wrong with it. */
export function planFromBytes(bytes: Uint8Array): PlanResult {
  const refused = (reason: string): PlanResult => ({
    kind: 'refused',
    reason: `the plan of the roll-out in etcd is not valid: ${reason}`,
  });
  if (bytes.length > planLimits.sizeBytes) return refused(`it has ${bytes.length} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return refused('it is not JSON');
  }
  const plan = planOf(value);
  if (plan === undefined) return refused('it has other fields, or values of other types');
  const problem = planProblem(plan);
  return problem === undefined ? { kind: 'plan', plan } : refused(problem);
}

type Fields = Readonly<Record<string, unknown>>;

/** The object if it has exactly these fields of its own. */
function fieldsOf(value: unknown, names: readonly string[]): Fields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const found = Object.keys(value);
  if (found.length !== names.length || !names.every((name) => Object.hasOwn(value, name))) return undefined;
  return value as Fields;
}

const planFields = [
  ...['format', 'id', 'action', 'maxUnavailable', 'pauseAfter', 'limitMs'],
  ...['phase', 'reason', 'waitsFor', 'nodes'],
];

function planOf(value: unknown): RolloutPlan | undefined {
  const fields = fieldsOf(value, planFields);
  if (fields === undefined || fields.format !== format || !Array.isArray(fields.nodes)) return undefined;
  // Before each of them is looked at.
  if (fields.nodes.length > planLimits.nodes) return undefined;
  const { id, action, maxUnavailable, pauseAfter, limitMs, phase, reason, waitsFor } = fields;
  const areTyped =
    [id, action, phase, reason, waitsFor].every((text) => typeof text === 'string') &&
    [maxUnavailable, pauseAfter, limitMs].every((number) => typeof number === 'number');
  const nodes = fields.nodes.map(nodeOf);
  if (!areTyped || nodes.includes(undefined)) return undefined;
  // planProblem() checks that `phase` is one of the phases.
  return { id, action, maxUnavailable, pauseAfter, limitMs, phase, reason, waitsFor, nodes } as RolloutPlan;
}

function nodeOf(value: unknown): PlannedNode | undefined {
  const fields = fieldsOf(value, ['name', 'role', 'attempt', 'progress']);
  if (fields === undefined) return undefined;
  const { name, role, attempt } = fields;
  const progress = progressOf(fields.progress);
  if (typeof name !== 'string' || typeof role !== 'string' || typeof attempt !== 'number') return undefined;
  if (progress === undefined) return undefined;
  return { name, role, attempt, progress } as PlannedNode;
}

function progressOf(value: unknown): NodeProgress | undefined {
  const plain = fieldsOf(value, ['state']);
  if (plain?.state === 'waiting' || plain?.state === 'done') return { state: plain.state };
  const acting = fieldsOf(value, ['state', 'spentMs']);
  if (acting?.state === 'acting' && typeof acting.spentMs === 'number')
    return { state: 'acting', spentMs: acting.spentMs };
  const failed = fieldsOf(value, ['state', 'reason']);
  if (failed?.state === 'failed' && typeof failed.reason === 'string')
    return { state: 'failed', reason: failed.reason };
  return undefined;
}
