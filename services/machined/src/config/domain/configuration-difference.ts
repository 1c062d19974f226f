import { diffConfigurations, redactConfiguration } from '@nodewright/machine-config';
import type { DecodedConfiguration } from '../../base/domain/machine-configuration.ts';

/**
 * What changes from one configuration to the next, as a unified diff without comments; empty when nothing does.
 *
 * @param showSecrets false for whoever may not read configurations: a node in maintenance takes calls from everybody,
 * and may have a part of a configuration
 */
export function configurationDifference(
  before: DecodedConfiguration | undefined,
  after: DecodedConfiguration,
  { showSecrets }: { readonly showSecrets: boolean },
): string {
  const shown = ({ documents }: DecodedConfiguration) =>
    showSecrets ? documents : redactConfiguration(documents);
  return diffConfigurations(before === undefined ? [] : shown(before), shown(after));
}
