import { diffConfigurations, redactConfiguration } from '@nodewright/machine-config';
import type { DecodedConfiguration } from '../../base/domain/machine-configuration.ts';

/**
 * The changes from one configuration to the next, as a unified diff without comments; empty without changes.
 *
 * @param showSecrets false for a caller that may not read configurations. A node in maintenance accepts calls
 * from all clients and may have a partial configuration
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
