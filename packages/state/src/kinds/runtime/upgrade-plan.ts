import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, int, text } from '../../spec/field-types.ts';

/** The upgrade of this node that runs, or was the last one. Our own. */
export const upgradePlans = defineKind({
  type: 'UpgradePlans.nodewright.dev',
  defaultNamespace: 'runtime',
  singleton: 'upgrade',
  printColumns: {
    Phase: '{.phase}',
    Step: '{.step}',
    Image: '{.image}',
    Reason: '{.reason}',
  },
  spec: {
    /** 32 hexadecimal digits; empty without a plan. */
    plan: field(1, text),
    /** `unknown` until the record on the disk has been read; `none`, `running`, `done` or `failed`. */
    phase: field(2, text),
    /** The step that runs, or ran last. */
    step: field(3, text),
    /** What the step waits for, or why the plan has failed; empty otherwise. */
    reason: field(4, text),
    /** The artefact; empty for a restart into a system that was written before. */
    image: field(5, text),
    /** Whether the Kubernetes node is to be cordoned. */
    cordons: field(6, bool),
  },
});
export type UpgradePlanSpec = SpecOf<typeof upgradePlans>;

/** The steps of that upgrade, one each. Our own. */
export const upgradeSteps = defineKind({
  type: 'NodeUpgradeSteps.nodewright.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    State: '{.state}',
    Reason: '{.reason}',
  },
  spec: {
    /** The plan that it belongs to. */
    plan: field(1, text),
    /** Counts from 1, in the order in which the steps run. */
    order: field(2, int),
    /** `pending`, `running`, `waiting`, `done` or `failed`. */
    state: field(3, text),
    /** What it waits for, or why it has failed; empty otherwise. */
    reason: field(4, text),
  },
});
export type UpgradeStepSpec = SpecOf<typeof upgradeSteps>;
