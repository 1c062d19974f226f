import { Fault } from '@nodewright/fault';
import type { SystemRequest } from './upgrades.ts';

/**
 * Decides what becomes of the extensions of a machine in an upgrade.
 *
 * @param present names of the extensions of the set that the machine has; undefined without a set
 * @returns the file with the set for the new system; undefined for none
 * @throws Fault `failed-precondition` when the machine would lose extensions without being told to
 */
export function chooseExtensions(
  { extensionSet, dropsExtensions }: Pick<SystemRequest, 'extensionSet' | 'dropsExtensions'>,
  present: readonly string[] | undefined,
): string | undefined {
  if (extensionSet !== undefined && dropsExtensions)
    throw new Fault(
      'failed-precondition',
      'a set of extensions is given, and they are to be dropped: choose one',
    );
  if (extensionSet === undefined && !dropsExtensions && present !== undefined)
    throw new Fault(
      'failed-precondition',
      `this machine has extensions (${present.join(', ') || 'of a set that cannot be read'}), and no set of them for the new image is given: --extension-set gives one, --without-extensions drops them`,
    );
  return extensionSet;
}
