import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KernelRule } from '@nodewright/linux/network';
import type { RoutingRuleSpecSpec } from '@nodewright/state/kinds';
import fc from 'fast-check';
import { describeStep, type NetworkPlan, type NetworkStep } from './network-step.ts';
import { maxRules, planRules } from './plan-rules.ts';

const spec = (priority: number, rest: Partial<RoutingRuleSpecSpec> = {}): RoutingRuleSpecSpec => ({
  ...{ family: 'inet4', src: '', dst: '', table: '100', priority, action: 'unicast', iifName: '' },
  ...{ oifName: '', fwMark: 0, fwMask: 0, layer: 'configuration', ...rest },
});
const foreign = (priority: number, rest: Partial<KernelRule> = {}): KernelRule => ({
  ...{ family: 2, source: '', destination: '', table: 100, priority, action: 1, inputLink: '' },
  ...{ outputLink: '', mark: 0, markMask: 0, protocol: 3, isSelective: false, ...rest },
});
const wordsOf = ({ steps }: Pick<NetworkPlan, 'steps'>) => steps.map(describeStep);
const plan = (wanted: RoutingRuleSpecSpec[], rules: KernelRule[], owned: ReadonlySet<string> = new Set()) =>
  planRules({ wanted, owned, rules });

/** Whether the kernel refuses the new rule because of the other one. Source: Linux, net/core/fib_rules.c, rule_exists(). */
function isDuplicate(rule: KernelRule, each: KernelRule): boolean {
  const names = [
    ...(['family', 'priority', 'action', 'table', 'inputLink', 'outputLink', 'mark', 'markMask'] as const),
  ];
  return (
    names.every((name) => rule[name] === each[name]) &&
    (rule.source === '' || rule.source === each.source) &&
    (rule.destination === '' || rule.destination === each.destination)
  );
}

/** The rules after these steps, as the kernel keeps them. */
function after(rules: readonly KernelRule[], steps: readonly NetworkStep[]): KernelRule[] {
  const result = [...rules];
  for (const step of steps) {
    if (step.kind === 'add-rule' && !result.some((each) => isDuplicate(step.rule, each)))
      result.push(step.rule);
    if (step.kind !== 'remove-rule') continue;
    const { rule } = step;
    const fits = (each: KernelRule) =>
      each.priority === rule.priority &&
      each.family === rule.family &&
      each.protocol === rule.protocol &&
      (rule.source === '' || rule.source === each.source) &&
      (rule.mark === 0 || rule.mark === each.mark) &&
      (rule.table === 0 || rule.table === each.table);
    result.splice(result.findIndex(fits), 1);
  }
  return result;
}

test('planRules() adds what is missing, and a mark without a mask equals what the kernel makes of it', () => {
  const first = plan([spec(7000, { fwMark: 5 })], []);
  assert.deepEqual(wordsOf(first), ['add-rule 7000']);
  const rules = after([], first.steps);
  assert.equal(rules[0]?.markMask, 0xffff_ffff);
  assert.deepEqual(wordsOf(plan([spec(7000, { fwMark: 5 })], rules, first.owned)), []);
});

test('planRules() replaces its own rule, and leaves one of others at the same priority', () => {
  const first = plan([spec(7000)], [foreign(7000, { table: 9 })]);
  const rules = after([foreign(7000, { table: 9 })], first.steps);
  const second = plan([spec(7000, { table: '101' })], rules, first.owned);
  assert.deepEqual(wordsOf(second), ['add-rule 7000', 'remove-rule 7000']);
  assert.deepEqual(
    after(rules, second.steps).map(({ table }) => table),
    [9, 101],
  );
});

test('planRules() removes a rule first that the kernel would take for the new one, and names one of others', () => {
  const first = plan([spec(7000, { src: '10.1.0.0/16' })], []);
  const rules = after([], first.steps);
  const second = plan([spec(7000)], rules, first.owned);
  assert.deepEqual(wordsOf(second), ['remove-rule 7000', 'add-rule 7000']);
  assert.deepEqual(
    after(rules, second.steps).map(({ source }) => source),
    [''],
  );
  const beside = plan([spec(7000)], [foreign(7000, { source: '10.2.0.0/16' })]);
  assert.deepEqual(wordsOf(beside), []);
  assert.deepEqual(beside.waiting, ['rule 7000: the kernel takes it for one of others with this priority']);
});

test('planRules() takes a rule that selects by more for another one', () => {
  assert.deepEqual(wordsOf(plan([spec(7000)], [foreign(7000, { isSelective: true })])), ['add-rule 7000']);
});

test('planRules() waits while the kernel would remove a rule of others in place of its own', () => {
  const { owned, steps } = plan([spec(7000)], []);
  const rules = [foreign(7000, { protocol: 4, source: '10.0.0.0/8' }), ...after([], steps)];
  const waits = plan([], rules, owned);
  assert.deepEqual([wordsOf(waits), waits.owned], [[], owned]);
  assert.deepEqual(waits.waiting, ['rule 7000 cannot be removed while a rule of others is before it']);
});

test('planRules() leaves out priorities of the system, networks that are none, and more rules than a machine has', () => {
  const { steps, waiting } = plan([spec(0), spec(32_766), spec(7000, { src: 'x' })], []);
  assert.deepEqual(steps, []);
  assert.deepEqual(waiting, [
    'rule 0: this priority belongs to the system',
    'rule 32766: this priority belongs to the system',
    'rule 7000: its source or destination is not a network',
  ]);
  const many = plan(
    Array.from({ length: maxRules + 5 }, (_, index) => spec(index + 1)),
    [],
  );
  assert.equal(many.steps.length, maxRules);
  assert.deepEqual(many.waiting, ['of 1005 routing rules only 1000 are applied']);
});

test('rules are as configured after any sequence of passes that end in the middle, and those of others stay', () => {
  const units = [
    spec(7000),
    spec(7000, { src: '10.1.0.0/16' }),
    spec(7001, { fwMark: 3, fwMask: 7 }),
    spec(7001, { table: '101' }),
    spec(7002, { family: 'inet6', src: 'fd00::/64' }),
  ];
  const others = [foreign(7000, { table: 9 }), foreign(7001, { protocol: 4, table: 9 }), foreign(50)];
  const action = fc.record({ wanted: fc.subarray(units), steps: fc.nat(4), isLost: fc.boolean() });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 10 }), (actions) => {
      let rules: KernelRule[] = [...others];
      let owned: ReadonlySet<string> = new Set();
      const pass = (list: readonly RoutingRuleSpecSpec[], steps = Number.POSITIVE_INFINITY) => {
        // As the layers are merged: one for each family and priority.
        const wanted = [...new Map(list.map((each) => [each.priority, each])).values()];
        const made = planRules({ wanted, owned, rules });
        owned = made.owned;
        rules = after(rules, made.steps.slice(0, steps));
        return made.steps.length;
      };
      for (const { wanted, steps, isLost } of actions) {
        pass(wanted, steps);
        if (isLost) rules = rules.filter((rule) => others.includes(rule) || rule.priority !== 7000);
      }
      const last = actions.at(-1)?.wanted ?? [];
      pass(last);
      assert.equal(pass(last), 0);
      const expected = new Set(last.map(({ priority }) => priority));
      assert.deepEqual(
        new Set(rules.filter((rule) => !others.includes(rule)).map(({ priority }) => priority)),
        expected,
      );
      pass([]);
      assert.deepEqual(rules, others);
    }),
    { numRuns: 2000 },
  );
});
