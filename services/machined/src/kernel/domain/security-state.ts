import type { SecurityStateSpec } from '@nodewright/state/kinds';
import type { ReadIfThere, ReadOrReason } from '../../base/domain/read-if-there.ts';

const efiFolder = '/sys/firmware/efi';
const efiVariables = `${efiFolder}/efivars`;
const secureBootVariable = `${efiVariables}/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c`;
/** The stub of a unified kernel image sets this variable. */
const stubVariable = `${efiVariables}/StubInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f`;

/**
 * Whether the firmware verifies what it starts. The first program of a machine decides the same in `rootfs/init/init.c`. In doubt it is
 * on: what is refused then, such as a set of extensions without a signature, must not start because a variable could not be read.
 */
export function isSecureBootOn(read: ReadOrReason): boolean {
  const variable = read(secureBootVariable);
  // The value, one byte, follows four bytes of attributes.
  if (variable instanceof Uint8Array) return variable.length !== 5 || variable[4] !== 0;
  if (variable === 'unreadable') return true;
  // Without efivarfs every variable is absent. A machine that a BIOS started has no variables, and no folder for them.
  return !hasEfiVariables(read) && read(efiFolder) !== 'absent';
}

function hasEfiVariables(read: ReadOrReason): boolean {
  const mounts = read('/proc/self/mounts');
  if (typeof mounts === 'string') return false;
  return mounts
    .toString()
    .split('\n')
    .some((line) => {
      const [, target, type] = line.split(' ');
      return target === efiVariables && type === 'efivarfs';
    });
}

/**
 * The protections of the system. The signing keys of the image are unknown, because this system is not
 * started from a signed image that contains them. Source: Talos v1.14: COSI resources, SecurityStates; kernel
 * command line.
 */
export function securityState(readOrReason: ReadOrReason): SecurityStateSpec {
  const read: ReadIfThere = (path) => {
    const content = readOrReason(path);
    return typeof content === 'string' ? undefined : content;
  };
  const words = new Set((read('/proc/cmdline')?.toString() ?? '').trim().split(/\s+/));
  const isYes = (path: string) => /^[Y1]/.test(read(path)?.toString() ?? '');
  return {
    secureBoot: isSecureBootOn(readOrReason),
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
