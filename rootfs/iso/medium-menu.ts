// The menu of GRUB on a medium. Source: GRUB 2.12, configuration file.
import { type SystemPartitionLabel, systemLayout } from '@nodewright/disk';

/** The folder of the image on the medium, and what the init is told in place of a slot. */
export const mediumFolder = 'medium';
const timeoutSeconds = 3;
/** As GRUB names them, in the order of the firmware. */
const disks = Array.from({ length: 16 }, (_, index) => `hd${index}`).join(' ');
const partitionOf = (label: SystemPartitionLabel) => 1 + systemLayout.findIndex((row) => row.label === label);
/** The medium is found by it. */
export const mediumMark = `/${mediumFolder}/roothash`;

/**
 * The text of the menu, for machines with a BIOS and with UEFI firmware. When a disk of the machine has a system, that is started by its own
 * boot loader: after an installation the medium may stay where it is. Of several such disks each has an entry with its name, and the first one is
 * started. A disk counts when its BOOT is where an installation puts it and has a system: a file system with that label may be anybody's. What a
 * machine runs from the medium is in memory, and starts in maintenance.
 *
 * @param commandLine of the kernel. With UEFI firmware the unified kernel has its own, which is signed
 */
export const mediumMenu = (tag: string, commandLine: string): string => `set timeout=${timeoutSeconds}
serial --unit=0 --speed=115200
terminal_input console serial
terminal_output console serial
search --no-floppy --file ${mediumMark} --set medium
set default=medium
set systems=
for disk in ${disks}; do
  set found=
  for slot in A B; do
    if [ -f "($disk,gpt${partitionOf('BOOT')})/$slot/SHA256SUMS" -a -f "($disk,gpt${partitionOf('BOOT')})/$slot/rootfs.verity" ]; then
      set found=1
    fi
  done
  if [ -n "$found" ]; then
    if [ -z "$systems" ]; then
      set default="$disk"
      set fallback=medium
    fi
    set systems="$systems $disk"
    menuentry "Start the system on disk $disk" "$disk" --id "$disk" {
      echo "Starting the system on disk $2"
      if [ "$grub_platform" = efi ]; then
        chainloader "($2,gpt${partitionOf('EFI')})/EFI/BOOT/BOOTX64.EFI"
      else
        set root="$2"
        chainloader "($2)+1"
      fi
    }
  fi
done
menuentry 'nodewright ${tag}: maintenance, in memory' --id medium {
  if [ "$grub_platform" = efi ]; then
    chainloader "($medium)/${mediumFolder}/nodewright.efi"
  else
    linux "($medium)/boot/vmlinuz" ${commandLine}
    initrd "($medium)/boot/initramfs"
  fi
}
`;
