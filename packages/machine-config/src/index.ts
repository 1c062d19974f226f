export { encodeKeepingComments } from './comments/encode-keeping-comments.ts';
export type { ConfigDocument, Configuration } from './config-document.ts';
export {
  compareEffective,
  compareValues,
  type EffectiveDifference,
  isNamedBy,
  unexplained,
} from './convert/compare-effective.ts';
export { compareUnread, whyNotCompared } from './convert/compare-unread.ts';
export { type Conversion, type ConversionNote, formatNote } from './convert/conversion.ts';
export {
  type ConfigurationForm,
  type ConvertedText,
  convertConfigurationText,
  convertPatchText,
  parseConversionTarget,
  unnamedChanges,
} from './convert/convert-configuration.ts';
export { type ConvertOptions, convertToDocuments } from './convert/convert-to-documents.ts';
export { effectiveSettings } from './convert/effective-view.ts';
export { recorded, type UnreadKey, unreadKeys } from './convert/record-reads.ts';
export { formatDuration, parseDuration } from './decode/duration.ts';
export { loadConfiguration, nameOfDocument } from './decode/load-configuration.ts';
export { type DiffOptions, diffConfigurations } from './diff-configurations.ts';
export type { CommentModes } from './docs/describe-document.ts';
export { ConfigReader, DocumentReader } from './effective/config-reader.ts';
export {
  type Authorizer,
  type ComponentSettings,
  type ControlPlaneSettings,
  controlPlaneSettings,
} from './effective/control-plane-settings.ts';
export { type EffectiveConfig, effectiveConfig } from './effective/effective-config.ts';
export { defaultEtcdImage } from './effective/etcd-settings.ts';
export { foreignWarnings, type NodeIdentity } from './effective/foreign-warnings.ts';
export { type KubeletMount, type KubeletSettings, kubeletSettings } from './effective/kubelet-settings.ts';
export {
  type KubernetesAuthority,
  type KubernetesIdentity,
  kubernetesIdentity,
} from './effective/kubernetes-identity.ts';
export {
  type ExternalManifest,
  type FlannelSettings,
  type ManifestSettings,
  manifestSettings,
} from './effective/manifest-settings.ts';
export type { NameServer } from './effective/network-settings.ts';
export type { NodeTaint } from './effective/node-settings.ts';
export type { LogDestination } from './effective/runtime-settings.ts';
export { encodeConfiguration } from './encode-configuration.ts';
export { parseByteSize, parseSizeLimit, type SizeLimit } from './forms/byte-size.ts';
export { parseHostPort, parsePrefix } from './forms/ip-text.ts';
export { wireguardLimits } from './forms/wireguard-limits.ts';
export { type GenerateConfigInput, generateConfig, generateDocuments } from './generate/generate-config.ts';
export {
  defaultDnsDomain,
  defaultInstallDisk,
  defaultInstallerImage,
  defaultKubernetesVersion,
  type GenerateInput,
  type GenerateOptions,
} from './generate/generate-options.ts';
export { type InertNotesInit, inertNotes } from './inert/inert-notes.ts';
export type { InertRow, InertTable } from './inert/inert-row.ts';
export { type NodeKind, nodeKinds } from './inert/node-kinds.ts';
export { type Protection, protections, unkeptProtections } from './inert/unkept-protections.ts';
export {
  type LocalConfiguration,
  type LocalNode,
  type LocalReplacement,
  localConfiguration,
} from './local/local-configuration.ts';
export type { LocalReason } from './local/local-values.ts';
export { applyPatches } from './patch/apply-patches.ts';
export { type ConfigPatch, parsePatch } from './patch/parse-patch.ts';
export { generateToken, type RandomSource, systemRandom } from './random-source.ts';
export { mapSecrets, mapTexts } from './redact/map-secrets.ts';
export { redactConfiguration, redactedText } from './redact/redact-configuration.ts';
export { documentKinds, legacyKind } from './schema/document-schema.ts';
export { type FieldPath, fieldPaths } from './schema/field-paths.ts';
export * from './schema/link-documents.ts';
export { decodeSecrets, encodeSecrets } from './secrets/encode-secrets.ts';
export { type GenerateSecretsInit, generateSecrets, type KeySource } from './secrets/generate-secrets.ts';
export type { CertificateAndKey, SecretsBundle } from './secrets/secrets-bundle.ts';
export { secretsFromConfig } from './secrets/secrets-from-config.ts';
export {
  adminCertificateHours,
  adminRoles,
  encodeTalosconfig,
  type GenerateTalosconfigInput,
  generateTalosconfig,
  type TalosconfigInput,
} from './talosconfig.ts';
export {
  type ValidateOptions,
  type ValidationMode,
  type ValidationResult,
  validateConfiguration,
  validationMessage,
  validationModes,
} from './validate/validate-configuration.ts';
export {
  contractHas,
  currentContract,
  formatContract,
  oldestContract,
  parseVersionContract,
  type VersionContract,
} from './version-contract.ts';
export { configurationLimits } from './yaml/configuration-limits.ts';
export { decodeConfigurationText } from './yaml/decode-text.ts';
export type { YamlMap, YamlValue } from './yaml/yaml-value.ts';
