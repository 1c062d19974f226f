import { defineKind } from '../meta/define-kind.ts';
import { defineSpec } from '../spec/define-spec.ts';
import { bool, enumeration, list, message, text, textMap } from '../spec/field-types.ts';

export interface BootIdSpec {
  readonly bootID: string;
}

/** `boot-id`: another one after every boot. */
export const bootIds = defineKind<BootIdSpec>({
  type: 'BootIDs.runtime.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: { 'Boot ID': '{.bootID}' },
  codec: defineSpec<BootIdSpec>({ bootID: { number: 1, type: text } }),
});

export type MachineStageName =
  | 'unknown'
  | 'booting'
  | 'installing'
  | 'maintenance'
  | 'running'
  | 'rebooting'
  | 'shutting down'
  | 'resetting'
  | 'upgrading';

export interface UnmetConditionSpec {
  readonly name: string;
  readonly reason: string;
}

export interface MachineStatusSpec {
  readonly stage: MachineStageName;
  readonly status: { readonly ready: boolean; readonly unmetConditions: readonly UnmetConditionSpec[] };
}

/** `machine`: how far the machine is in its life, and what it still waits for. */
export const machineStatuses = defineKind<MachineStatusSpec>({
  type: 'MachineStatuses.runtime.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: { Stage: '{.stage}', Ready: '{.status.ready}' },
  codec: defineSpec<MachineStatusSpec>({
    stage: {
      number: 1,
      type: enumeration<MachineStageName>({
        unknown: 0,
        booting: 1,
        installing: 2,
        maintenance: 3,
        running: 4,
        rebooting: 5,
        'shutting down': 6,
        resetting: 7,
        upgrading: 8,
      }),
    },
    status: {
      number: 2,
      type: message<MachineStatusSpec['status']>({
        ready: { number: 1, type: bool },
        unmetConditions: {
          number: 2,
          type: list(
            message<UnmetConditionSpec>({
              name: { number: 1, type: text },
              reason: { number: 2, type: text },
            }),
          ),
        },
      }),
    },
  }),
});

export interface PlatformMetadataSpec {
  readonly platform: string;
  readonly hostname: string;
  readonly region: string;
  readonly zone: string;
  readonly instanceType: string;
  readonly instanceId: string;
  readonly providerId: string;
  readonly spot: boolean;
  readonly internalDNS: string;
  readonly externalDNS: string;
  readonly tags: Readonly<Record<string, string>>;
}

const unlessEmpty = (number: number) => ({ number, type: text, omitEmpty: true }) as const;

/** `platformmetadata`: what the platform says of the machine. */
export const platformMetadatas = defineKind<PlatformMetadataSpec>({
  type: 'PlatformMetadatas.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Platform: '{.platform}',
    Type: '{.instanceType}',
    Region: '{.region}',
    Zone: '{.zone}',
  },
  codec: defineSpec<PlatformMetadataSpec>({
    platform: unlessEmpty(1),
    hostname: unlessEmpty(2),
    region: unlessEmpty(3),
    zone: unlessEmpty(4),
    instanceType: unlessEmpty(5),
    instanceId: unlessEmpty(6),
    providerId: unlessEmpty(7),
    spot: { number: 8, type: bool, omitEmpty: true },
    internalDNS: unlessEmpty(9),
    externalDNS: unlessEmpty(10),
    tags: { number: 11, type: textMap, omitEmpty: true },
  }),
});

export interface ServiceSpec {
  readonly running: boolean;
  readonly healthy: boolean;
  /** No health check has answered. */
  readonly unknown: boolean;
}

/** The services that run, by id. A service that does not run is not there. */
export const services = defineKind<ServiceSpec>({
  type: 'Services.v1alpha1.talos.dev',
  defaultNamespace: 'runtime',
  aliases: ['svc'],
  printColumns: { Running: '{.running}', Healthy: '{.healthy}', 'Health Unknown': '{.unknown}' },
  codec: defineSpec<ServiceSpec>({
    running: { number: 1, type: bool },
    healthy: { number: 2, type: bool },
    unknown: { number: 3, type: bool },
  }),
});

export interface VersionSpec {
  readonly name: string;
  readonly version: string;
}

/** `version`: what runs on the node. */
export const versions = defineKind<VersionSpec>({
  type: 'Versions.runtime.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: { Name: '{.name}', Version: '{.version}' },
  codec: defineSpec<VersionSpec>({ name: { number: 2, type: text }, version: { number: 1, type: text } }),
});
