export {
  type Environment,
  encodeEnvironmentBlock,
  environmentBlockBytes,
  environmentBytes,
  parseEnvironmentBlock,
} from './grub/environment-block.ts';
export { grubMenu, type Menu, type MenuEntry, menuBytes, parseGrubMenu } from './grub/menu.ts';
export { choiceEnvironment, type SlotChoice, slotChoiceIn } from './grub/slot-choice.ts';
export { type ImageArguments, imageArguments, rootHashIn, slotIn } from './slot/command-line.ts';
export { checkDigests, digestList, digestListBytes, parseDigestList } from './slot/digest-list.ts';
export { isSlot, otherSlot, type Slot, slots } from './slot/slot.ts';
export { type RootFiles, rootOfSlot, slotFiles } from './slot/slot-files.ts';
export { entryName, slotOfEntry, unifiedKernelFolder } from './systemd-boot/entry-name.ts';
export {
  encodeLoaderVariable,
  type LoaderVariable,
  loaderVariableBytes,
  loaderVariableFile,
  loaderVariables,
  parseLoaderVariable,
} from './systemd-boot/loader-variable.ts';
