import { readFileSync } from 'node:fs';
import { capabilities, hasCapability } from '@nodewright/linux';

/** Source: proc(5), oom_score_adj. */
const lowest = -1000;

/**
 * The lowest score that a container may be given. Without CAP_SYS_RESOURCE nobody may lower it, and runc does not start
 * what asks for that: then it is our own, as containerd runs with no more rights than who starts it.
 */
export function lowestOomScore(): number {
  if (hasCapability(capabilities.systemResource)) return lowest;
  return Number.parseInt(readFileSync('/proc/self/oom_score_adj', 'utf8'), 10);
}
