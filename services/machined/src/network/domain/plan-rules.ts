// Which rules that choose a routing table to add and to remove. Rules of others stay, also at the same priority.
// Source: Talos v1.14: network, routing rules.
import type { KernelRule } from '@nodewright/linux/network';
import { networkEnumerations as enums, type RoutingRuleSpecSpec } from '@nodewright/state/kinds';
import { networkOf } from '../../base/domain/prefix.ts';
import type { NetworkPlan, NetworkStep } from './network-step.ts';
import { withinLimit } from './within-limit.ts';

export interface PlanRulesFacts {
  /** The merged specifications. */
  readonly wanted: readonly RoutingRuleSpecSpec[];
  /** As of the last plan. */
  readonly owned: ReadonlySet<string>;
  readonly rules: readonly KernelRule[];
}

export const maxRules = 1000;

/** `RTPROT_STATIC` of <linux/rtnetlink.h>. */
const staticProtocol = 4;
const everyBit = 0xffff_ffff;
const everything = /^(?:0\.0\.0\.0|::)\/0$/;
/** Those of the kernel, and of KubeSpan. */
const reserved = new Set([0, 32_500, 32_766, 32_767]);

/**
 * What to do for the rules. A rule is added before the one that it replaces is removed, so that packets always have one. Where the kernel
 * would take the new one for the old one and not add it, the old one is removed right before.
 */
export function planRules({ wanted, owned, rules }: PlanRulesFacts): NetworkPlan {
  const waiting: string[] = [];
  const chosen = new Map<string, KernelRule>();
  for (const spec of withinLimit(wanted, { limit: maxRules, what: 'routing rules' }, waiting)) {
    const rule = wantedRule(spec);
    if (typeof rule === 'string') waiting.push(`rule ${spec.priority}: ${rule}`);
    else chosen.set(keyOf(rule), rule);
  }
  const present = new Set(rules.filter(({ isSelective }) => !isSelective).map(keyOf));
  const missing = [...chosen].filter(([key]) => !present.has(key)).map(([, rule]) => rule);
  const isLeaving = (rule: KernelRule) => {
    const key = keyOf(rule);
    return isOwn(rule) && owned.has(key) && !chosen.has(key);
  };
  const leaving = rules.filter(isLeaving);
  const left = [...rules];
  const removed: KernelRule[] = [];
  for (const rule of leaving) {
    // The kernel removes the first one that has what is named, which may have more.
    const first = left.findIndex((each) => removalMatches(rule, each));
    if (left[first] === rule) {
      left.splice(first, 1);
      removed.push(rule);
    } else waiting.push(`rule ${rule.priority} cannot be removed while a rule of others is before it`);
  }
  const steps: NetworkStep[] = [];
  const early = new Set<KernelRule>();
  const remove = (rule: KernelRule) => steps.push({ kind: 'remove-rule', rule });
  for (const rule of missing) {
    if (left.some((each) => isTakenFor(rule, each))) {
      waiting.push(`rule ${rule.priority}: the kernel takes it for one of others with this priority`);
      continue;
    }
    // All of this priority, in their order: a removal may fit another rule that is before the one that is meant.
    const atPriority = removed.filter(
      ({ family, priority }) => family === rule.family && priority === rule.priority,
    );
    if (atPriority.some((each) => isTakenFor(rule, each)))
      for (const each of atPriority) {
        if (early.has(each)) continue;
        early.add(each);
        remove(each);
      }
    steps.push({ kind: 'add-rule', rule });
  }
  for (const rule of removed) if (!early.has(rule)) remove(rule);
  return { steps, waiting, owned: new Set([...chosen.keys(), ...leaving.map(keyOf)]) };
}

const isOwn = ({ protocol, isSelective }: KernelRule) => protocol === staticProtocol && !isSelective;

function wantedRule(spec: RoutingRuleSpecSpec): KernelRule | string {
  if (reserved.has(spec.priority)) return 'this priority belongs to the system';
  const network = (text: string) => (text === '' || everything.test(text) ? '' : networkOf(text));
  const [source, destination] = [network(spec.src), network(spec.dst)];
  if (source === undefined || destination === undefined) return 'its source or destination is not a network';
  const action = spec.action === 'unspec' ? 'unicast' : spec.action;
  return {
    ...{ family: enums.family.numberOf(spec.family), source, destination, priority: spec.priority },
    ...{ table: enums.routingTable.numberOf(spec.table), action: enums.routingRuleAction.numberOf(action) },
    ...{ inputLink: spec.iifName, outputLink: spec.oifName, mark: spec.fwMark },
    // The kernel compares all bits of a mark without a mask.
    markMask: spec.fwMark === 0 ? 0 : spec.fwMask || everyBit,
    ...{ protocol: staticProtocol, isSelective: false },
  };
}

function keyOf(rule: KernelRule): string {
  const { family, priority, source, destination, table, action } = rule;
  const { inputLink, outputLink, mark, markMask } = rule;
  return JSON.stringify([
    ...[family, priority, source, destination, table, action],
    ...[inputLink, outputLink, mark, markMask],
  ]);
}

/** Whether the request to remove `rule` fits `each`: what a rule leaves open is not compared. */
function removalMatches(rule: KernelRule, each: KernelRule): boolean {
  const isOpen = (value: string | number) => value === '' || value === 0;
  const names = ['source', 'destination', 'inputLink', 'outputLink', 'mark', 'table', 'action'] as const;
  return (
    rule.family === each.family &&
    rule.priority === each.priority &&
    rule.protocol === each.protocol &&
    names.every((name) => isOpen(rule[name]) || rule[name] === each[name])
  );
}

/** Whether the kernel takes a new rule for `each`, and does not add it. Source: Linux, net/core/fib_rules.c, rule_exists(). */
function isTakenFor(rule: KernelRule, each: KernelRule): boolean {
  const names = [
    'family',
    'priority',
    'action',
    'table',
    'inputLink',
    'outputLink',
    'mark',
    'markMask',
  ] as const;
  return (
    !each.isSelective &&
    names.every((name) => rule[name] === each[name]) &&
    (rule.source === '' || rule.source === each.source) &&
    (rule.destination === '' || rule.destination === each.destination)
  );
}
