import { Fault } from '@nodewright/fault';
import { upgradeLimits } from './upgrade-limits.ts';

/**
 * The reference of an artefact as it was sent.
 *
 * @throws Fault `invalid-argument` when it is missing or too long. Source: Talos v1.14: LifecycleService
 */
export function checkImage(image: string | undefined): string {
  if (image === undefined || image === '')
    throw new Fault('invalid-argument', 'installer image name is required');
  if (image.length > upgradeLimits.imageLength)
    throw new Fault(
      'invalid-argument',
      `the installer image name has more than ${upgradeLimits.imageLength} characters`,
    );
  return image;
}

const diskForm = /^\/dev\/[A-Za-z0-9_.:+@=-]+(?:\/[A-Za-z0-9_.:+@=-]+)*$/;

/**
 * The path of the disk to install on, as it was sent.
 *
 * @throws Fault `invalid-argument` when it is missing, or no path of a device. Source: Talos v1.14: LifecycleService
 */
export function checkDisk(disk: string | undefined): string {
  if (disk === undefined || disk === '') throw new Fault('invalid-argument', 'destination disk is required');
  const isPath =
    disk.length <= upgradeLimits.diskLength &&
    diskForm.test(disk) &&
    !disk.split('/').some((part) => part === '.' || part === '..');
  if (isPath) return disk;
  throw new Fault(
    'invalid-argument',
    `invalid disk path: ${JSON.stringify(disk.slice(0, upgradeLimits.diskLength))} is no path below /dev`,
  );
}
