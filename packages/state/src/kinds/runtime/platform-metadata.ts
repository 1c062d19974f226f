import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, text, textMap, unlessEmpty } from '../../spec/field-types.ts';

export const platformMetadatasFields = {
  platform: unlessEmpty(1, text),
  hostname: unlessEmpty(2, text),
  region: unlessEmpty(3, text),
  zone: unlessEmpty(4, text),
  instanceType: unlessEmpty(5, text),
  instanceId: unlessEmpty(6, text),
  providerId: unlessEmpty(7, text),
  spot: unlessEmpty(8, bool),
  internalDNS: unlessEmpty(9, text),
  externalDNS: unlessEmpty(10, text),
  tags: unlessEmpty(11, textMap),
};

/** Metadata of the machine from the platform. */
export const platformMetadatas = defineKind({
  type: 'PlatformMetadatas.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'platformmetadata',
  printColumns: {
    Platform: '{.platform}',
    Type: '{.instanceType}',
    Region: '{.region}',
    Zone: '{.zone}',
  },
  spec: platformMetadatasFields,
});
export type PlatformMetadataSpec = SpecOf<typeof platformMetadatas>;
