import type { Architecture } from '@nodewright/build';

/** UEFI's names of an architecture: in the programs of systemd, and in the program that firmware starts by default. */
export const efiNames = {
  amd64: { suffix: 'x64', program: 'BOOTX64.EFI' },
  arm64: { suffix: 'aa64', program: 'BOOTAA64.EFI' },
} as const;

const folder = 'usr/lib/systemd/boot/efi';

/** systemd's stub among the locked tools. */
export const stubPath = (architecture: Architecture) =>
  `${folder}/linux${efiNames[architecture].suffix}.efi.stub`;

/** systemd-boot among the locked tools. */
export const loaderPath = (architecture: Architecture) =>
  `${folder}/systemd-boot${efiNames[architecture].suffix}.efi`;
