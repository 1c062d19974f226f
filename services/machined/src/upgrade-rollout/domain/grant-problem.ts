import { isGranted, planFromBytes } from '@nodewright/rollout';
import type { NodeTurn } from './node-turn-id.ts';
import { rolloutAction, type WantedSystem } from './rollout-action.ts';

/** Why the plan in etcd does not let this node begin; undefined when it does. */
export function grantProblem(
  stored: { readonly bytes: Uint8Array } | undefined,
  { rollout, node, role, attempt }: NodeTurn,
  wanted: WantedSystem,
): string | undefined {
  if (stored === undefined) return 'etcd has no roll-out';
  const result = planFromBytes(stored.bytes);
  if (result.kind === 'refused') return result.reason;
  const { plan } = result;
  if (!isGranted(plan, { id: rollout, name: node, attempt })) return 'it is not the turn of this node';
  if (plan.nodes.some(({ name, role: planned }) => name === node && planned !== role))
    return `the plan has another role for ${node}`;
  return plan.action === rolloutAction(wanted) ? undefined : 'the plan names another system';
}
