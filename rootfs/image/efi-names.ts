import type { Architecture } from '@nodewright/build';

/** UEFI's names of an architecture: in systemd's stub, and in the program that firmware starts by default. */
export const efiNames = {
  amd64: { stub: 'x64', program: 'BOOTX64.EFI' },
  arm64: { stub: 'aa64', program: 'BOOTAA64.EFI' },
} as const;

/** systemd's stub among the locked tools. */
export const stubPath = (architecture: Architecture) =>
  `usr/lib/systemd/boot/efi/linux${efiNames[architecture].stub}.efi.stub`;
