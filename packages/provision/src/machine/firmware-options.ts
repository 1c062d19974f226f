import { escapeComma } from './emulator-options.ts';

/** UEFI firmware of Debian's package `ovmf`. */
export const firmware = {
  uefi: '/usr/share/OVMF/OVMF_CODE_4M.fd',
  'secure-boot': '/usr/share/OVMF/OVMF_CODE_4M.secboot.fd',
} as const;

/** The variables of firmware that has started no machine yet. */
export const emptyVariables = '/usr/share/OVMF/OVMF_VARS_4M.fd';

/**
 * Options that boot the disk by UEFI firmware.
 *
 * @param variables a copy of `emptyVariables` for this machine alone, which its firmware writes
 */
export function firmwareBoot(kind: keyof typeof firmware, variables: string): string[] {
  return [
    ...['-drive', `if=pflash,format=raw,readonly=on,file=${escapeComma(firmware[kind])}`],
    ...['-drive', `if=pflash,format=raw,file=${escapeComma(variables)}`],
  ];
}

/** Options that add words to the command line of a unified kernel: systemd-stub, the program at its start, reads them. */
export function addedWords(words: readonly string[]): string[] {
  const extra = escapeComma(words.join(' '));
  return words.length === 0 ? [] : ['-smbios', `type=11,value=io.systemd.stub.kernel-cmdline-extra=${extra}`];
}
