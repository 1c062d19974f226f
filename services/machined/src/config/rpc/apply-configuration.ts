import { metadataKeys, roles } from '@nodewright/contract';
import {
  type ApplyConfigurationRequest,
  type MachineServiceImplementation,
  ApplyConfigurationRequest_Mode as Mode,
} from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { configurationLimits } from '@nodewright/machine-config';
import type { Logger } from '@nodewright/telemetry';
import { rolesFromMetadata } from '../../access/domain/caller-roles.ts';
import {
  type DecodedConfiguration,
  effectiveOf,
  isComplete,
} from '../../base/domain/machine-configuration.ts';
import type { ConfigurationKeeper } from '../controllers/configuration-keeper.ts';
import type { ConfigurationTrial } from '../controllers/configuration-trial.ts';
import { accessWarnings } from '../domain/access-warnings.ts';
import { type ApplyMode, type ApplyPlan, checkMode, dryRunDetails, planApply } from '../domain/plan-apply.ts';
import type { ConfigurationExaminer } from '../host/configuration-examiner.ts';

export interface ApplyConfigurationInit {
  readonly keeper: ConfigurationKeeper;
  readonly trial: ConfigurationTrial;
  /** Reads it and judges it as this node must. */
  readonly examiner: ConfigurationExaminer;
  readonly log: Logger;
}

const modes: Readonly<Record<number, ApplyMode>> = {
  [Mode.REBOOT]: 'reboot',
  [Mode.AUTO]: 'auto',
  [Mode.NO_REBOOT]: 'no-reboot',
  [Mode.STAGED]: 'staged',
  [Mode.TRY]: 'try',
};

const wireModes = {
  'no-reboot': Mode.NO_REBOOT,
  staged: Mode.STAGED,
  try: Mode.TRY,
} as const satisfies Record<ApplyPlan['mode'], Mode>;

const noLegacyText =
  "the applied machine configuration doesn't contain v1alpha1 config, did you mean to patch the machine config instead?";

/**
 * ApplyConfiguration: another machine configuration for this node. What is answered to be stored is on the disk, and
 * what is stored was found valid; a crash at any moment leaves the old or the new one. Source: Talos v1.14: ApplyConfiguration.
 */
export function createApplyConfiguration(
  init: ApplyConfigurationInit,
): Pick<MachineServiceImplementation, 'applyConfiguration'> {
  const { keeper, trial, examiner, log } = init;

  async function apply(request: ApplyConfigurationRequest, isAdmin: boolean) {
    const node = { isMaintenance: keeper.isMaintenance() };
    // Looked at here once more: the node may have left maintenance since the call came in.
    if (!node.isMaintenance && !isAdmin) throw new Fault('permission-denied', 'not authorized');
    const wanted = applyRequest(request);
    if (wanted.mode !== 'try') trial.keep();

    const { configuration, refusal, ...judged } = await examiner.examine({
      text: textOf(request.data),
      ...(request.dryRun ? { difference: { before: keeper.active()?.text, showSecrets: isAdmin } } : {}),
    });
    // The node may have left maintenance while it was read.
    if (!keeper.isMaintenance() && !isAdmin) throw new Fault('permission-denied', 'not authorized');
    if (!node.isMaintenance && !isComplete(configuration)) throw new Fault('invalid-argument', noLegacyText);
    const modeFault = checkMode(wanted, node);
    if (modeFault !== undefined) throw modeFault;
    if (refusal !== undefined) throw new Fault('invalid-argument', refusal);
    const plan = planApply(wanted, {
      ...node,
      isComplete: isComplete(configuration),
      isStaged: keeper.isStaged(configuration.text),
    });
    if (plan instanceof Fault) throw plan;

    const mode = wireModes[plan.mode];
    if (request.dryRun) {
      return { warnings: [], mode, modeDetails: dryRunDetails(plan, judged.difference ?? '') };
    }
    const warnings = [...judged.warnings, ...accessWarningsOf(keeper.active(), configuration)];
    await execute(plan, configuration);
    log.info({ mode: plan.mode, warnings }, 'machine configuration applied');
    return { warnings, mode, modeDetails: plan.details };
  }

  async function execute({ steps }: ApplyPlan, configuration: DecodedConfiguration): Promise<void> {
    for (const step of steps) {
      switch (step.kind) {
        case 'store':
          await keeper.store(configuration.text);
          break;
        case 'activate':
          await keeper.activate(configuration);
          break;
        case 'try':
          await trial.start(configuration, step.forNs);
      }
    }
  }

  return {
    async applyConfiguration(request, { metadata }) {
      using claim = keeper.claim();
      if (claim === undefined) {
        throw new Fault('failed-precondition', 'another apply configuration is already in progress');
      }
      const caller = rolesFromMetadata(metadata.getAll(metadataKeys.role));
      return { messages: [await apply(request, caller.has(roles.admin))] };
    },
  };
}

function accessWarningsOf(inForce: DecodedConfiguration | undefined, next: DecodedConfiguration): string[] {
  if (inForce === undefined) return [];
  return accessWarnings(effectiveOf(inForce), effectiveOf(next));
}

function applyRequest({ mode, tryModeTimeout }: ApplyConfigurationRequest) {
  return {
    mode: modes[mode] ?? mode,
    tryTimeoutNs: tryModeTimeout && tryModeTimeout.seconds * 1_000_000_000n + BigInt(tryModeTimeout.nanos),
  };
}

function textOf(data: Uint8Array): string {
  if (data.length > configurationLimits.sizeBytes) {
    throw new Fault(
      'invalid-argument',
      `the machine configuration has ${data.length} bytes, more than the ${configurationLimits.sizeBytes} that a node reads`,
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch {
    throw new Fault('invalid-argument', 'the machine configuration is not text in UTF-8');
  }
}
