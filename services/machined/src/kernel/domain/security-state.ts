import type { SecurityStateSpec } from '@nodewright/state/kinds';
import type { ReadIfThere } from '../../base/domain/read-if-there.ts';

const efiVariables = '/sys/firmware/efi/efivars';
const secureBootVariable = `${efiVariables}/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c`;
/** The stub of a unified kernel image sets this variable. */
const stubVariable = `${efiVariables}/StubInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f`;

/** Whether the firmware verifies what it starts. */
export const isSecureBootOn = (read: ReadIfThere): boolean =>
  // The value follows four bytes of attributes.
  read(secureBootVariable)?.[4] === 1;

/**
 * The protections of the system. The signing keys of the image are unknown, because this system is not
 * started from a signed image that contains them. Source: Talos v1.14: COSI resources, SecurityStates; kernel
 * command line.
 */
export function securityState(read: ReadIfThere): SecurityStateSpec {
  const words = new Set((read('/proc/cmdline')?.toString() ?? '').trim().split(/\s+/));
  const isYes = (path: string) => /^[Y1]/.test(read(path)?.toString() ?? '');
  return {
    secureBoot: isSecureBootOn(read),
    ukiSigningKeyFingerprint: '',
    pcrSigningKeyFingerprint: '',
    selinuxState: selinuxState(words, read),
    fipsState: words.has('talos.fips140=strict') ? 'enabled, strict' : 'disabled',
    bootedWithUKI: read(stubVariable) !== undefined,
    moduleSignatureEnforced:
      words.has('module.sig_enforce=1') || isYes('/sys/module/module/parameters/sig_enforce'),
  };
}

function selinuxState(words: ReadonlySet<string>, read: ReadIfThere): SecurityStateSpec['selinuxState'] {
  const enforce = read('/sys/fs/selinux/enforce')?.toString().trim();
  if (!words.has('selinux=1') || enforce === undefined) return 'disabled';
  return enforce === '1' ? 'enabled, enforcing' : 'enabled, permissive';
}
