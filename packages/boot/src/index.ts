export { grubMenu, type Menu, type MenuEntry, menuBytes, parseGrubMenu } from './grub/menu.ts';
export { type ImageArguments, imageArguments, rootHashIn, slotIn } from './slot/command-line.ts';
export { checkDigests, digestList, digestListBytes, parseDigestList } from './slot/digest-list.ts';
export { isSlot, otherSlot, type Slot, slots } from './slot/slot.ts';
export { type RootFiles, rootOfSlot, slotFiles } from './slot/slot-files.ts';
