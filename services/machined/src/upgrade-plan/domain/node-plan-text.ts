// The form of the record: JSON. It is checked as a whole, because a disk may have been in other hands.
import {
  type NodePlan,
  nodePlanLimits,
  planKinds,
  planPhases,
  planSteps,
  restartKinds,
  stepsOf,
} from './node-plan.ts';

/** Of the form, so that a later version can tell. */
const format = 1;

export const nodePlanToText = (plan: NodePlan): string => `${JSON.stringify({ format, ...plan })}\n`;

const unprintable = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const isLine = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length <= longest && value.isWellFormed() && !unprintable.test(value);
const isOneOf = (list: readonly string[]) => (value: unknown) =>
  typeof value === 'string' && list.includes(value);
const isBoolean = (value: unknown) => typeof value === 'boolean';

const isSlot = (value: unknown) => typeof value === 'string' && /^[A-Za-z0-9]{0,16}$/.test(value);

const checks = {
  id: (value) => typeof value === 'string' && /^[0-9a-f]{32}$/.test(value),
  kind: isOneOf(planKinds),
  image: (value) => isLine(value, nodePlanLimits.imageLength),
  allowsDowngrade: isBoolean,
  dropsExtensions: isBoolean,
  ignoresEtcd: isBoolean,
  restart: isOneOf(restartKinds),
  actorId: (value) => isLine(value, nodePlanLimits.actorLength),
  phase: isOneOf(planPhases),
  step: isOneOf(planSteps),
  reason: (value) => isLine(value, nodePlanLimits.reasonLength),
  slotBefore: isSlot,
  slot: isSlot,
  restarts: (value) => Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= 1000,
} as const satisfies Record<keyof NodePlan, (value: unknown) => boolean>;

/** The record in a text; `undefined` when it is not one that this version writes. */
export function nodePlanFrom(text: string): NodePlan | undefined {
  if (text.length > nodePlanLimits.sizeBytes) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { format: found, ...fields } = value as Record<string, unknown>;
  const names = Object.keys(fields);
  if (found !== format || names.length !== Object.keys(checks).length) return undefined;
  for (const [name, isValid] of Object.entries(checks))
    if (!Object.hasOwn(fields, name) || !isValid(fields[name])) return undefined;
  const plan = fields as unknown as NodePlan;
  const isPossible = stepsOf(plan).includes(plan.step) && (plan.kind === 'restart') === (plan.image === '');
  return isPossible ? plan : undefined;
}
