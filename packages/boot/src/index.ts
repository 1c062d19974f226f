export {
  defaultSlot,
  isCommitted,
  isDefault,
  knownRecord,
  type MachineFacts,
  plannedEnds,
  runningTrial,
} from './choice/machine-facts.ts';
export { type MachineStart, planStart } from './choice/plan-start.ts';
export { planConfirm, planGiveUp, planRestart, type RestartRequest } from './choice/plan-trial.ts';
export {
  planDisarm,
  planRollback,
  planStage,
  planUpgrade,
  type UpgradeRequest,
} from './choice/plan-upgrade.ts';
export {
  judgeTrial,
  startTrialClock,
  type TrialClock,
  type TrialObservation,
  type TrialProblem,
  type TrialVerdict,
  trialLimitMs,
} from './choice/trial-limit.ts';
export {
  emptyRecord,
  hasChosenStart,
  metaValues,
  type OutsideNeed,
  outsideNeeds,
  type StagedUpgrade,
  shortReason,
  stagedImage,
  type Trial,
  type UpgradeRecord,
  upgradeKeys,
  upgradeRecordFrom,
} from './choice/upgrade-record.ts';
export { recordStep, type UpgradePlan, type UpgradeStep } from './choice/upgrade-step.ts';
export { chooseStart, type FolderStart } from './folder/choose-start.ts';
export { createFolderBootLoader, type SlotFolderFiles } from './folder/folder-boot-loader.ts';
export {
  artefactEntry,
  containerForm,
  createdDigest,
  encodeSlotChoice,
  type SlotFolderForm,
  slotFolderFiles,
  slotFolderState,
  slotListBytes,
  stateFiles,
} from './folder/slot-folder.ts';
export { choiceEnvironment, slotChoiceIn } from './grub/choice-variables.ts';
export { bootCodeBytes, bootCodeFor, coreFor } from './grub/core-image.ts';
export {
  type Environment,
  encodeEnvironmentBlock,
  environmentBlockBytes,
  environmentBytes,
  parseEnvironmentBlock,
} from './grub/environment-block.ts';
export { genericMenu, readsEnvironment } from './grub/generic-menu.ts';
export { createGrubBootLoader, grubFiles } from './grub/grub-boot-loader.ts';
export { grubMenu, type Menu, type MenuEntry, menuBytes, parseGrubMenu } from './grub/menu.ts';
export { slotEntry } from './grub/slot-entry.ts';
export type { BootFiles, GrubFiles } from './loader/boot-files.ts';
export type { BootLoader, LoadedKernel } from './loader/boot-loader.ts';
export {
  type BootState,
  isInstalled,
  isSameSystem,
  type SlotChoice,
  type System,
  systemIn,
} from './loader/boot-state.ts';
export type { LoaderPlan, LoaderStep, Partition } from './replacement/loader-step.ts';
export { type CoreFacts, planCore } from './replacement/plan-core.ts';
export { planMenu } from './replacement/plan-menu.ts';
export { type FirmwareProgramFacts, planSystemdBoot } from './replacement/plan-systemd-boot.ts';
export { type ImageArguments, imageArguments, rootHashIn, slotIn } from './slot/command-line.ts';
export { checkDigests, digestList, digestListBytes, parseDigestList } from './slot/digest-list.ts';
export {
  commandLineCharacters,
  extraArgumentLimits,
  extraArgumentProblem,
  withExtraArguments,
} from './slot/extra-arguments.ts';
export { isSlot, otherSlot, type Slot, slots } from './slot/slot.ts';
export { type RootFiles, rootOfSlot, slotFiles } from './slot/slot-files.ts';
export { entryName, slotOfEntry, unifiedKernelFolder } from './systemd-boot/entry-name.ts';
export {
  isSignedForFirmware,
  programKeys,
  programKeysBytes,
  programKeysFile,
  signatureBytes,
  signaturePlace,
  signerCertificate,
} from './systemd-boot/firmware-keys.ts';
export { loaderConfiguration, loaderFiles } from './systemd-boot/loader-configuration.ts';
export {
  encodeLoaderVariable,
  type LoaderVariable,
  loaderVariableBytes,
  loaderVariableFile,
  loaderVariables,
  loaderVendor,
  parseLoaderVariable,
} from './systemd-boot/loader-variable.ts';
export {
  createSystemdBootLoader,
  type LoaderVariableFiles,
  type SystemdBootInit,
} from './systemd-boot/systemd-boot-loader.ts';
export { headerBytes, type Section, unifiedKernelSections } from './systemd-boot/unified-kernel.ts';
