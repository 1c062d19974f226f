// The menu of GRUB on a medium. Source: GRUB 2.12, configuration file.

/** The folder of the image on the medium, and what the init is told in place of a slot. */
export const mediumFolder = 'medium';
const timeoutSeconds = 3;
/** The medium is found by it. */
export const mediumMark = `/${mediumFolder}/roothash`;

/**
 * The text of the menu, for machines with a BIOS and with UEFI firmware. When a disk of the machine has a system, that is started by its own
 * boot loader: after an installation the medium may stay where it is. What a machine runs from the medium is in memory, and starts in
 * maintenance.
 *
 * @param commandLine of the kernel. With UEFI firmware the unified kernel has its own, which is signed
 */
export const mediumMenu = (tag: string, commandLine: string): string => `set timeout=${timeoutSeconds}
serial --unit=0 --speed=115200
terminal_input console serial
terminal_output console serial
search --no-floppy --file ${mediumMark} --set medium
set default=medium
set disk=
search --no-floppy --label BOOT --set boot
if [ -n "$boot" ]; then
  if [ -f "($boot)/A/SHA256SUMS" -o -f "($boot)/B/SHA256SUMS" ]; then
    regexp --set 1:disk '^([^,]*),' "$boot"
  fi
fi
if [ -n "$disk" ]; then
  set default=disk
  set fallback=medium
  menuentry "Start the system on disk $disk" --id disk {
    if [ "$grub_platform" = efi ]; then
      chainloader "($disk,gpt1)/EFI/BOOT/BOOTX64.EFI"
    else
      set root="$disk"
      chainloader "($disk)+1"
    fi
  }
fi
menuentry 'nodewright ${tag}: maintenance, in memory' --id medium {
  if [ "$grub_platform" = efi ]; then
    chainloader "($medium)/${mediumFolder}/nodewright.efi"
  else
    linux "($medium)/boot/vmlinuz" ${commandLine}
    initrd "($medium)/boot/initramfs"
  fi
}
`;
