import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { faultFrom } from '@nodewright/fault';
import { capabilities, hasCapability, loadNativeCalls } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';

/** An upper limit: the first number that the kernel does not know ends the list. */
const mostCapabilities = 64;
/** The capabilities that let root pass through folders of other users. */
const overrides: readonly number[] = [capabilities.dacOverride, capabilities.dacReadSearch];
const mayPass = 0o001;

/**
 * Programs that this process starts from now on can have no capability and gain none, not even as root. This
 * process keeps its own. Source: Talos v1.14: services, dropped capabilities.
 *
 * @param needed folders that the programs must reach. If one is below a folder that only its owner may enter,
 * and the owner is not root, they keep the capabilities to enter it.
 */
export async function forgoCapabilities(needed: readonly string[], log: Logger): Promise<void> {
  try {
    const calls = await loadNativeCalls();
    calls.refuseNewPrivileges();
    if (!hasCapability(capabilities.setCapabilities)) return;
    const kept = needed.every(isOpenToRootWithoutRights) ? [] : overrides;
    for (let number = 0; number < mostCapabilities; number++) {
      if (kept.includes(number)) continue;
      try {
        calls.dropBoundingCapability(number);
      } catch (error) {
        if (faultFrom(error).kind === 'invalid-argument') break;
        throw error;
      }
    }
    log.info({ kept }, 'capabilities of services dropped');
  } catch (error) {
    log.warn({ error: faultFrom(error).message }, 'capabilities of services are not limited');
  }
}

/** Whether user 0 may enter the folder according to the modes of its parents. */
function isOpenToRootWithoutRights(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    // A missing folder will be created by the program that needs it.
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (stat !== undefined && stat.uid !== 0 && (stat.mode & mayPass) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
