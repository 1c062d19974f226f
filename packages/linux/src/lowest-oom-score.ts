import { readFileSync } from 'node:fs';
import { capabilities, hasCapability } from '@nodewright/linux';

/** Source: proc(5), oom_score_adj. */
const lowest = -1000;

/**
 * The lowest `oom_score_adj` for a container. Lowering it requires CAP_SYS_RESOURCE, and without that runc
 * fails to start a container with a lower value. Then this is the value of this process, because containerd
 * has the same rights as the process that started it.
 */
export function lowestOomScore(): number {
  if (hasCapability(capabilities.systemResource)) return lowest;
  return Number.parseInt(readFileSync('/proc/self/oom_score_adj', 'utf8'), 10);
}
