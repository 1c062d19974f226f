import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { type ApplyRequest, checkMode, dryRunDetails, planApply } from './plan-apply.ts';

const running = { isMaintenance: false, isComplete: true };
const maintenance = { isMaintenance: true, isComplete: true };
const part = { isMaintenance: true, isComplete: false };

const applied = {
  mode: 'no-reboot',
  steps: [{ kind: 'store' }, { kind: 'activate' }],
  details: 'Applied configuration without a reboot',
};
const staged = {
  mode: 'staged',
  steps: [{ kind: 'store' }],
  details: 'Staged configuration to be applied after the next reboot',
};
const tried = (forNs: bigint, text: string) => ({
  mode: 'try',
  steps: [{ kind: 'try', forNs }],
  details: `Applied configuration without a reboot\nThe config is applied in 'try' mode and will be automatically reverted back in ${text}`,
});

const rows: readonly [ApplyRequest, typeof running, unknown][] = [
  [{ mode: 'auto' }, running, applied],
  [{ mode: 'auto' }, maintenance, applied],
  [{ mode: 'no-reboot' }, running, applied],
  [{ mode: 'reboot' }, maintenance, applied],
  [{ mode: 'staged' }, running, staged],
  [{ mode: 'staged' }, maintenance, staged],
  [{ mode: 'try' }, running, tried(60_000_000_000n, '1m0s')],
  [{ mode: 'try' }, part, tried(60_000_000_000n, '1m0s')],
  [{ mode: 'try', tryTimeoutNs: 1_500_000_000n }, running, tried(1_500_000_000n, '1.5s')],
];

for (const [request, node, plan] of rows) {
  const where = node.isMaintenance ? ' in maintenance' : '';
  test(`planApply() plans an application in mode ${request.mode}${where}`, () => {
    assert.equal(checkMode(request, node), undefined);
    assert.deepEqual(planApply(request, node), plan);
  });
}

test('checkMode() refuses REBOOT on a node with a configuration', () => {
  const fault = checkMode({ mode: 'reboot' }, running);
  assert.equal(fault?.kind, 'unimplemented');
  assert.equal(
    fault?.message,
    'the REBOOT mode is not supported, please use AUTO or NO_REBOOT modes instead',
  );
});

test('planApply() refuses an unknown mode, a non-positive try timeout and a trial on a node without a configuration', () => {
  const faultOf = (request: ApplyRequest, node = running) => {
    const plan = planApply(request, node);
    return plan instanceof Fault ? `${plan.kind}: ${plan.message}` : plan;
  };
  assert.deepEqual(
    [
      faultOf({ mode: 7 }),
      faultOf({ mode: 'try', tryTimeoutNs: 0n }),
      faultOf({ mode: 'try', tryTimeoutNs: -1_000_000_000n }),
      faultOf({ mode: 'try' }, maintenance),
    ],
    [
      "invalid-argument: incorrect mode '7' specified for the apply config call",
      'invalid-argument: try_mode_timeout must be positive, not 0s',
      'invalid-argument: try_mode_timeout must be positive, not -1s',
      'failed-precondition: the TRY mode needs a complete configuration to go back to, and this node has none: use NO_REBOOT',
    ],
  );
});

test('dryRunDetails() describes the steps and the difference', () => {
  const plan = planApply({ mode: 'staged' }, running);
  assert.ok(!(plan instanceof Fault));
  assert.equal(
    dryRunDetails(plan, ''),
    'Dry run summary:\nStaged configuration to be applied after the next reboot (skipped in dry-run).\nConfig diff:\n\nNo changes.',
  );
  assert.match(dryRunDetails(plan, '--- a\n+++ b\n'), /Config diff:\n\n--- a\n\+\+\+ b\n$/);
});

test('planApply() stores nothing and reports no changes when the configuration is staged already', () => {
  assert.deepEqual(planApply({ mode: 'staged' }, { ...running, isStaged: true }), {
    mode: 'staged',
    steps: [],
    details: 'No changes: this configuration is staged already',
  });
});
