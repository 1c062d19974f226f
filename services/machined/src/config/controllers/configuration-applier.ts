import { Fault, faultFrom } from '@nodewright/fault';
import { foreignWarnings } from '@nodewright/machine-config';
import type { Logger } from '@nodewright/telemetry';
import {
  type DecodedConfiguration,
  effectiveOf,
  isComplete,
} from '../../base/domain/machine-configuration.ts';
import { accessWarnings } from '../domain/access-warnings.ts';
import { configurationText } from '../domain/configuration-text.ts';
import {
  type ApplyPlan,
  type ApplyRequest,
  checkMode,
  dryRunDetails,
  planApply,
} from '../domain/plan-apply.ts';
import type { ConfigurationExaminer } from '../host/configuration-examiner.ts';
import type { ConfigurationKeeper } from './configuration-keeper.ts';
import type { ConfigurationTrial } from './configuration-trial.ts';
import { executeApply } from './execute-apply.ts';

export interface ApplierInit {
  readonly keeper: ConfigurationKeeper;
  readonly trial: ConfigurationTrial;
  /** Decodes the configuration and validates it for this node. */
  readonly examiner: ConfigurationExaminer;
  /** The addresses that the node has now and would lose with a configuration; by default none are known. */
  readonly lostAddresses?: (next: DecodedConfiguration) => Promise<readonly string[]>;
  readonly log: Logger;
}

export interface Application extends ApplyRequest {
  /** The configuration exactly as the client sent it. */
  readonly data: Uint8Array;
  readonly dryRun: boolean;
  /** Without the administrator role, a caller may apply only while the node is in maintenance. */
  readonly isAdmin: boolean;
}

export interface Applied extends Pick<ApplyPlan, 'mode' | 'details'> {
  readonly warnings: readonly string[];
  /** What the node has now, and not with the configuration. */
  readonly lostAddresses: readonly string[];
}

/**
 * Applies another machine configuration to this node.
 *
 * @throws Fault when the node refuses the configuration
 */
export type Apply = (application: Application) => Promise<Applied>;

const noLegacyText =
  "the applied machine configuration doesn't contain v1alpha1 config, did you mean to patch the machine config instead?";

/**
 * Applies one configuration at a time: validates it, plans the steps, and executes them unless it is a dry
 * run.
 */
export function configurationApplier(init: ApplierInit): Apply {
  const { keeper, trial, log, lostAddresses: findLost = async () => [] } = init;
  return async (application) => {
    using claim = keeper.claim();
    if (claim === undefined) {
      const reason = keeper.heldFor() ?? 'another apply configuration is already in progress';
      throw new Fault('failed-precondition', reason);
    }
    // The node may have left maintenance since the request arrived.
    checkAccess(keeper, application);
    const { plan, configuration, ...judged } = await judge(init, application);
    const { mode, details } = plan;
    const changed = changeWarnings(keeper.active(), configuration);
    const warnings = [...judged.warnings, ...changed];
    // Before it is applied. One that is staged takes nothing away now.
    const lostAddresses = mode === 'staged' ? [] : await lostOrNone(findLost, configuration, log);
    if (application.dryRun) {
      return { warnings, mode, lostAddresses, details: dryRunDetails(plan, judged.difference ?? '') };
    }
    // A call that is refused, or cannot be carried out, ends no trial: its previous configuration may be the only way to reach the machine.
    using _paused = trial.pause();
    await executeApply(plan, configuration, init);
    log.info({ mode, warnings }, 'machine configuration applied');
    return { warnings, mode, details, lostAddresses };
  };
}

/** A machine whose addresses cannot be compared still gets its configuration. */
async function lostOrNone(
  find: Required<ApplierInit>['lostAddresses'],
  next: DecodedConfiguration,
  log: Logger,
): Promise<readonly string[]> {
  try {
    return await find(next);
  } catch (error) {
    log.warn(
      { error: faultFrom(error).message },
      'the addresses that a configuration takes away are not known',
    );
    return [];
  }
}

/**
 * Decodes the configuration and plans its application. The order of the checks decides which error the caller
 * gets.
 */
async function judge({ keeper, examiner }: ApplierInit, application: Application) {
  const isMaintenance = keeper.isMaintenance();
  const { dryRun, isAdmin } = application;
  const { configuration, refusal, ...judged } = await examiner.examine({
    text: configurationText(application.data),
    isCall: true,
    ...(dryRun ? { difference: { before: keeper.active()?.text, showSecrets: isAdmin } } : {}),
  });
  // The node may have left maintenance while the configuration was decoded.
  checkAccess(keeper, application);
  if (!isMaintenance && !isComplete(configuration)) throw new Fault('invalid-argument', noLegacyText);
  const modeFault = checkMode(application, { isMaintenance });
  if (modeFault !== undefined) throw modeFault;
  if (refusal !== undefined) throw new Fault('invalid-argument', refusal);
  const plan = planApply(application, {
    isMaintenance,
    isComplete: isComplete(configuration),
    isStaged: keeper.isStaged(configuration.text),
  });
  if (plan instanceof Fault) throw plan;
  return { ...judged, configuration, plan };
}

function checkAccess(
  keeper: Pick<ConfigurationKeeper, 'isMaintenance'>,
  { isAdmin }: Pick<Application, 'isAdmin'>,
) {
  if (!isAdmin && !keeper.isMaintenance()) throw new Fault('permission-denied', 'not authorized');
}

/** Warnings about what the change means for the place of the node in its cluster. */
function changeWarnings(inForce: DecodedConfiguration | undefined, next: DecodedConfiguration): string[] {
  if (inForce === undefined) return [];
  const [active, effective] = [effectiveOf(inForce), effectiveOf(next)];
  return [...foreignWarnings(active, effective), ...accessWarnings(active, effective)];
}
