import { entryName } from './entry-name.ts';

/** Files of systemd-boot on the EFI partition. Source: systemd, boot loader interface, and loader.conf(5). */
export const loaderFiles = { configuration: 'loader/loader.conf' } as const;

/** How long a person may choose another entry. */
const timeoutSeconds = 3;

/**
 * The configuration of systemd-boot. The choice is in variables of the firmware; when these are lost, slot A is started, as GRUB does it.
 * Nobody at the screen may change a command line, nothing but our systems is an entry, and no keys are enrolled from the disk.
 */
export function loaderConfiguration(): string {
  return [
    `timeout ${timeoutSeconds}`,
    `default ${entryName('A')}`,
    ...['editor no', 'auto-entries no', 'auto-firmware no', 'secure-boot-enroll off', ''],
  ].join('\n');
}
