import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { faultFrom } from '@nodewright/fault';
import { capabilities, hasCapability, loadNativeCalls } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';

/** There are fewer; the first number that the kernel does not know ends the list. */
const mostCapabilities = 64;
/** What lets root pass through folders of others. */
const overrides: readonly number[] = [capabilities.dacOverride, capabilities.dacReadSearch];
const mayPass = 0o001;

/**
 * From now on no program that this process starts can have a capability, root's included, nor gain one. This process keeps
 * its own. Source: Talos v1.14: services, dropped capabilities.
 *
 * @param needed folders that the programs have to reach. Where one lies below a folder that only its owner may pass, and
 *   root is not the owner, they keep what lets them pass.
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

/** Whether user 0 reaches the folder by the modes of those above it alone. */
function isOpenToRootWithoutRights(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    // One that is not there yet is made by whoever needs it.
    const stat = statSync(folder, { throwIfNoEntry: false });
    if (stat !== undefined && stat.uid !== 0 && (stat.mode & mayPass) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
