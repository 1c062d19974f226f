import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, list, message, text, unlessEmpty, type ValueOf } from '../../spec/field-types.ts';

const extensionServiceConfigFile = message({
  content: field(1, text),
  mountPath: field(2, text),
});
export type ExtensionServiceConfigFile = ValueOf<typeof extensionServiceConfigFile>;

const extensionMetadata = message({
  name: field(1, text),
  version: field(2, text),
  author: field(3, text),
  description: field(4, text),
  compatibility: field(
    5,
    message({
      /** Version constraint for Talos. */
      talos: field(1, message({ version: field(1, text) })),
    }),
  ),
  extraInfo: unlessEmpty(6, text),
});

/** Configuration of extension services, by name. It may contain secrets. */
export const extensionServiceConfigs = defineKind({
  type: 'ExtensionServiceConfigs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  isSensitive: true,
  spec: {
    files: unlessEmpty(1, list(extensionServiceConfigFile)),
    environment: unlessEmpty(2, list(text)),
  },
});
export type ExtensionServiceConfigSpec = SpecOf<typeof extensionServiceConfigs>;

/** The configuration that was written to the files of each extension service. */
export const extensionServiceConfigStatuses = defineKind({
  type: 'ExtensionServiceConfigStatuses.runtime.talos.dev',
  defaultNamespace: 'runtime',
  spec: {
    /** Version of the ExtensionServiceConfig that was applied. */
    specVersion: field(1, text),
  },
});
export type ExtensionServiceConfigStatusSpec = SpecOf<typeof extensionServiceConfigStatuses>;

/** Installed system extensions, by layer. */
export const extensionStatuses = defineKind({
  type: 'ExtensionStatuses.runtime.talos.dev',
  defaultNamespace: 'runtime',
  aliases: ['extensions'],
  printColumns: {
    Name: '{.metadata.name}',
    Version: '{.metadata.version}',
  },
  spec: {
    /** File name of the layer. */
    image: field(1, text),
    metadata: field(2, extensionMetadata),
  },
});
export type ExtensionStatusSpec = SpecOf<typeof extensionStatuses>;

/** The Image Factory schematic of the system image. */
export const imageFactorySchematics = defineKind({
  type: 'ImageFactorySchematics.runtime.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'image-factory-schematic',
  printColumns: {
    'Schematic ID': '{.schematicId}',
    Flavor: '{.flavor}',
    'API URL': '{.apiUrl}',
  },
  spec: {
    schematicId: field(1, text),
    flavor: field(2, text),
    apiUrl: field(3, text),
  },
});
export type ImageFactorySchematicSpec = SpecOf<typeof imageFactorySchematics>;

/** Software packages of the system (SBOM), by package. */
export const sbomItems = defineKind({
  type: 'SBOMItems.talos.dev',
  defaultNamespace: 'runtime',
  aliases: ['sbom', 'sboms'],
  printColumns: {
    Version: '{.version}',
    License: '{.license}',
    Extension: '{.extension}',
  },
  spec: {
    name: field(1, text),
    version: field(2, text),
    license: unlessEmpty(3, text),
    cpes: unlessEmpty(4, list(text)),
    purls: unlessEmpty(5, list(text)),
    extension: unlessEmpty(6, bool),
  },
});
export type SbomItemSpec = SpecOf<typeof sbomItems>;
