import { Fault } from '@nodewright/fault';
import {
  type EffectiveConfig,
  effectiveConfig,
  type ValidateOptions,
  validateConfiguration,
  validationMessage,
} from '@nodewright/machine-config';
import type { DecodedConfiguration } from '../../base/domain/machine-configuration.ts';
import type { World } from '../../base/domain/world.ts';
import { logDestinationLimit } from '../../logs/domain/log-destination.ts';
import type { ConfigurationSource } from './search-configuration.ts';

/**
 * Options for a stored configuration, which was valid when it was stored. Source: Talos v1.14: configuration, validation, modes.
 */
const storedOptions: ValidateOptions = { mode: 'cloud', isInstalled: true };

/**
 * Validates a decoded configuration for this node and returns warnings. The errors of a stored configuration are
 * a warning, too, because a rule that has changed since must not lock out the node, unless clients could not reach a
 * node that runs with it.
 *
 * @param source the source of the configuration; `undefined` when a call sent it
 * @throws Fault `invalid-argument` with all errors
 */
export function validateForNode(
  { documents }: DecodedConfiguration,
  world: Pick<World, 'configuredAs'>,
  source?: Pick<ConfigurationSource, 'isStored'>,
): readonly string[] {
  const options = source?.isStored ? storedOptions : optionsOf(world);
  const result = validateConfiguration(documents, options);
  const message = validationMessage(result);
  const refusal = message === undefined ? undefined : new Fault('invalid-argument', message);
  if (refusal !== undefined && !source?.isStored) throw refusal;
  const effective = effectiveConfig(documents);
  if (refusal !== undefined && effective.isComplete && !isReachable(effective)) throw refusal;
  if (source?.isStored) return [...(message === undefined ? [] : [message]), ...result.warnings];
  const { logDestinations, kernelLogDestinations } = effective;
  const count = Math.max(logDestinations.length, kernelLogDestinations.length);
  if (count > logDestinationLimit) throw tooManyLogDestinations(count);
  return result.warnings;
}

/** Whether apid of a node with these values could serve clients. A control plane signs its certificate itself. */
function isReachable({ machineType, issuingCA, acceptedCAs }: EffectiveConfig): boolean {
  if (machineType === 'unknown') return false;
  if (machineType === 'worker') return issuingCA !== undefined || acceptedCAs.length > 0;
  return issuingCA?.key !== undefined;
}

function tooManyLogDestinations(count: number): Fault {
  return new Fault(
    'invalid-argument',
    `there are ${count} log destinations, more than the limit of ${logDestinationLimit} per node`,
  );
}

/**
 * `isInstalled` is true because such a node is never installed to a disk, so an install disk is not required.
 */
function optionsOf({ configuredAs }: Pick<World, 'configuredAs'>): ValidateOptions {
  return { mode: configuredAs, isInstalled: true };
}
