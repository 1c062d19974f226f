import { readFileSync } from 'node:fs';
import { capabilities, hasCapability } from './effective-capabilities.ts';

/** Source: proc(5), oom_score_adj. */
const lowest = -1000;

/**
 * The lowest `oom_score_adj` that this process may give to itself and to others. Lowering it requires CAP_SYS_RESOURCE;
 * without that it is the value of this process, and containerd and runc fail with a lower one.
 */
export function lowestOomScore(): number {
  if (hasCapability(capabilities.systemResource)) return lowest;
  return Number.parseInt(readFileSync('/proc/self/oom_score_adj', 'utf8'), 10);
}
