import { metadataKeys, roles } from '@nodewright/contract';
import {
  type ApplyConfigurationRequest,
  type MachineServiceImplementation,
  ApplyConfigurationRequest_Mode as Mode,
} from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { effectiveConfig } from '@nodewright/machine-config';
import type { Logger } from '@nodewright/telemetry';
import type { ConfigurationKeeper } from '../controllers/config/configuration-keeper.ts';
import type { ConfigurationTrial } from '../controllers/config/configuration-trial.ts';
import { accessWarnings } from '../domain/access-warnings.ts';
import { rolesFromMetadata } from '../domain/caller-roles.ts';
import { configurationDifference } from '../domain/configuration-difference.ts';
import {
  type DecodedConfiguration,
  decodeConfiguration,
  isComplete,
} from '../domain/machine-configuration.ts';
import { type ApplyMode, type ApplyPlan, checkMode, dryRunDetails, planApply } from '../domain/plan-apply.ts';

export interface ApplyConfigurationInit {
  readonly keeper: ConfigurationKeeper;
  readonly trial: ConfigurationTrial;
  /** Looks at it as this node must. Gives warnings. @throws Fault `invalid-argument` */
  readonly validate: (configuration: DecodedConfiguration) => readonly string[];
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
  const { keeper, trial, validate, log } = init;

  async function apply(request: ApplyConfigurationRequest, isAdmin: boolean) {
    const node = { isMaintenance: keeper.isMaintenance() };
    // Looked at here once more: the node may have left maintenance since the call came in.
    if (!node.isMaintenance && !isAdmin) throw new Fault('permission-denied', 'not authorized');
    const wanted = applyRequest(request);
    if (wanted.mode !== 'try') trial.keep();

    const configuration = decodeConfiguration(textOf(request.data));
    if (!node.isMaintenance && !isComplete(configuration)) throw new Fault('invalid-argument', noLegacyText);
    const refusal = checkMode(wanted, node);
    if (refusal !== undefined) throw refusal;
    const warnings = [...validate(configuration), ...accessWarningsOf(keeper.active(), configuration)];
    const plan = planApply(wanted, { ...node, isComplete: isComplete(configuration) });
    if (plan instanceof Fault) throw plan;

    const mode = wireModes[plan.mode];
    if (request.dryRun) {
      const options = { showSecrets: isAdmin };
      const difference = configurationDifference(keeper.active(), configuration, options);
      return { warnings: [], mode, modeDetails: dryRunDetails(plan, difference) };
    }
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
  return accessWarnings(effectiveConfig(inForce.documents), effectiveConfig(next.documents));
}

function applyRequest({ mode, tryModeTimeout }: ApplyConfigurationRequest) {
  return {
    mode: modes[mode] ?? mode,
    tryTimeoutNs: tryModeTimeout && tryModeTimeout.seconds * 1_000_000_000n + BigInt(tryModeTimeout.nanos),
  };
}

function textOf(data: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch {
    throw new Fault('invalid-argument', 'the machine configuration is not text in UTF-8');
  }
}
