// What programs can do with machine configurations without the command line. The SDK has it as `@nodewright/client/configuration`.
export { Fault, type FaultKind } from '@nodewright/fault';
export {
  type ConfigDocument,
  type Configuration,
  type ConfigurationForm,
  type ConversionNote,
  type ConvertedText,
  convertConfigurationText,
  convertPatchText,
  type EffectiveDifference,
  formatNote,
  loadConfiguration,
  parseConversionTarget,
  unnamedChanges,
} from '@nodewright/machine-config';
export {
  diffByMeaning,
  formatMeaning,
  type MeaningChange,
  type MeaningDifference,
} from './diff/diff-by-meaning.ts';
export type { Effect, EffectTime } from './diff/effect-table.ts';
export { formatProof } from './prove/format-proof.ts';
export { isProven, type Proof, type ProofDifference, type Unproven } from './prove/proof.ts';
export { proveConfigurations } from './prove/prove-configurations.ts';
