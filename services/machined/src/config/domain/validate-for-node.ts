import { Fault } from '@nodewright/fault';
import {
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
 * Options for a stored configuration. It was valid when it was stored: a rule that has changed since must not
 * lock out the node. Source: Talos v1.14: configuration, validation, modes.
 */
const storedOptions: ValidateOptions = { mode: 'cloud', isInstalled: true };

/**
 * Validates a decoded configuration for this node and returns warnings.
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
  if (message !== undefined) throw new Fault('invalid-argument', message);
  const { logDestinations, kernelLogDestinations } = effectiveConfig(documents);
  const count = Math.max(logDestinations.length, kernelLogDestinations.length);
  if (!source?.isStored && count > logDestinationLimit) throw tooManyLogDestinations(count);
  return result.warnings;
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
