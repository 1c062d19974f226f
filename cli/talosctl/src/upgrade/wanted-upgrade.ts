import { UsageFault } from '../context/failure.ts';

/** What a user wants of an upgrade, beside how the machines restart. */
export interface WantedUpgrade {
  /** Reference of the artefact. */
  readonly image: string;
  readonly allowsDowngrade: boolean;
  /** Path of a file with a set of extensions for the new system. */
  readonly extensionSet: string | undefined;
  readonly dropsExtensions: boolean;
  /** The next start begins with the upgrade. */
  readonly isStaged: boolean;
}

/** Whether only the call of this project can carry it: LifecycleService has no field for it. */
export const needsOwnCall = ({ allowsDowngrade, extensionSet, dropsExtensions, isStaged }: WantedUpgrade) =>
  allowsDowngrade || extensionSet !== undefined || dropsExtensions || isStaged;

/** @throws UsageFault for flags that contradict each other */
export function checkWanted(wanted: WantedUpgrade, isLegacy: boolean): void {
  if (wanted.extensionSet !== undefined && wanted.dropsExtensions)
    throw new UsageFault('--extension-set and --without-extensions exclude each other');
  if (isLegacy && needsOwnCall({ ...wanted, isStaged: false }))
    throw new UsageFault(
      '--legacy has no --allow-downgrade, --extension-set and --without-extensions: its call cannot carry them',
    );
}

/** What an upgrade does, said before it begins. */
export function upgradeLines(wanted: WantedUpgrade, { restarts }: { readonly restarts: boolean }): string[] {
  const { image, allowsDowngrade, extensionSet, dropsExtensions, isStaged } = wanted;
  return [
    isStaged
      ? `the next start begins with the upgrade to ${image}, and then starts once more`
      : `${image} is written into the slot that does not run; the system that runs stays as it is`,
    'the next start tries it, and goes back by itself when the machine does not become ready',
    ...(allowsDowngrade ? ['it may be older than the version that runs'] : []),
    ...(extensionSet === undefined ? [] : [`it starts with the set of extensions in ${extensionSet}`]),
    ...(dropsExtensions ? ['it starts without the set of extensions that runs'] : []),
    ...(restarts ? [] : ['nothing restarts: "talosctl reboot" tries it']),
  ];
}
