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
 * What is stored was found valid when it came: rules of the place that have changed since must not lock a node out.
 * Source: Talos v1.14: configuration, validation, modes.
 */
const storedOptions: ValidateOptions = { mode: 'cloud', isInstalled: true };

/**
 * Whether a configuration makes sense on this node, whose own parts all read it. Gives warnings.
 *
 * @param source where it was found; none: it came by a call
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
    `there are ${count} log destinations, more than the ${logDestinationLimit} that a node sends to`,
  );
}

/** Nothing is ever installed on a node of processes, and so there is nothing to install to. */
function optionsOf({ configuredAs }: Pick<World, 'configuredAs'>): ValidateOptions {
  return { mode: configuredAs, isInstalled: true };
}
