import type { ServiceState } from '../../protocol/messages.ts';
import type { Condition } from './condition.ts';
import type { JudgedNode } from './judge-nodes.ts';

/** A service of a node, as its dot shows it. Of a node that is away only the past is known. */
export function judgeService(
  { health, isWell }: ServiceState,
  { isOld }: JudgedNode,
): { readonly condition: Condition; readonly title: string } {
  const title = health === 'unknown' ? 'no health check' : health;
  if (isOld) return { condition: 'unknown', title: `${title} before` };
  if (health === 'unhealthy') return { condition: 'bad', title };
  return { condition: isWell ? (health === 'unknown' ? 'unknown' : 'good') : 'warning', title };
}
