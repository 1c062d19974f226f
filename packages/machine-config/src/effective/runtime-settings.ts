import { millisecondsOf } from '../decode/duration.ts';
import type { ConfigReader } from './config-reader.ts';

/** A receiver of service logs. */
export interface LogDestination {
  /** URL with scheme `tcp` or `udp`. */
  readonly endpoint: string;
  readonly format: string;
  readonly extraTags: Readonly<Record<string, string>>;
}

/** Settings of the kernel, log and event receivers, and extensions. */
export interface RuntimeSettings {
  readonly logDestinations: readonly LogDestination[];
  /** Receivers of kernel logs, with their URLs. */
  readonly kernelLogDestinations: readonly { readonly name: string; readonly url: string }[];
  /** `host:port` of the event receiver; `undefined` when not set. */
  readonly eventSink: string | undefined;
  /** Kernel parameters; keys as configured, with dots or slashes. */
  readonly sysctls: Readonly<Record<string, string>>;
  /** Files below `/sys`; keys as configured, with dots or slashes. */
  readonly sysfs: Readonly<Record<string, string>>;
  readonly kernelModules: readonly { readonly name: string; readonly parameters: readonly string[] }[];
  readonly zswap: { readonly maxPoolPercent: number; readonly shrinkerEnabled: boolean } | undefined;
  /** Environment variables of services and containers, including proxy settings. */
  readonly environment: Readonly<Record<string, string>>;
  readonly watchdog: { readonly device: string; readonly timeoutMs: number } | undefined;
  readonly udevRules: readonly string[];
  readonly workloadIsolation: boolean;
  readonly trustedRoots: readonly { readonly name: string; readonly certificates: string }[];
  readonly extensionServices: readonly {
    readonly name: string;
    readonly files: readonly { readonly content: string; readonly mountPath: string }[];
    readonly environment: readonly string[];
  }[];
}

/** Source: Talos v1.14: machine configuration, effective values; runtime documents, `machine`. */
export function runtimeSettings(reader: ConfigReader): RuntimeSettings {
  const { legacy } = reader;
  const watchdog = reader.document('WatchdogTimerConfig');
  const zswap = reader.document('ZswapConfig');
  const udev = reader.document('UdevRulesConfig');
  return {
    logDestinations: legacy.items('machine', 'logging', 'destinations').map((destination) => ({
      endpoint: destination.text('endpoint'),
      format: destination.text('format'),
      extraTags: destination.textMap('extraTags'),
    })),
    kernelLogDestinations: reader
      .documents('KmsgLogConfig')
      .map((document) => ({ name: document.name, url: document.text('url') })),
    eventSink: reader.document('EventSinkConfig')?.text('endpoint') || undefined,
    sysctls: {
      ...legacy.textMap('machine', 'sysctls'),
      ...reader.document('SysctlConfig')?.textMap('params'),
    },
    sysfs: { ...legacy.textMap('machine', 'sysfs'), ...reader.document('SysfsConfig')?.textMap('params') },
    kernelModules: kernelModules(reader),
    zswap: zswap && {
      maxPoolPercent: zswap.integer('maxPoolPercent') ?? 20,
      shrinkerEnabled: zswap.boolean('shrinkerEnabled') ?? false,
    },
    environment: {
      ...legacy.textMap('machine', 'env'),
      ...reader.document('EnvironmentConfig')?.textMap('variables'),
    },
    watchdog: watchdog && {
      device: watchdog.text('device'),
      timeoutMs: millisecondsOf(watchdog.text('timeout')) || 60_000,
    },
    udevRules: udev ? udev.texts('rules') : legacy.texts('machine', 'udev', 'rules'),
    workloadIsolation: reader.document('SecurityProfileConfig')?.boolean('workloadIsolation') ?? false,
    trustedRoots: reader
      .documents('TrustedRootsConfig')
      .map((document) => ({ name: document.name, certificates: document.text('certificates') })),
    extensionServices: reader.documents('ExtensionServiceConfig').map((document) => ({
      name: document.name,
      files: document
        .items('configFiles')
        .map((file) => ({ content: file.text('content'), mountPath: file.text('mountPath') })),
      environment: document.texts('environment'),
    })),
  };
}

/**
 * Returns the modules of the legacy list, then those of documents. A document replaces a module with the same
 * name.
 */
function kernelModules(reader: ConfigReader): RuntimeSettings['kernelModules'] {
  const legacy = reader.legacy
    .items('machine', 'kernel', 'modules')
    .map((module) => ({ name: module.text('name'), parameters: module.texts('parameters') }));
  const documents = reader
    .documents('KernelModuleConfig')
    .map((document) => ({ name: document.name, parameters: document.texts('parameters') }));
  return [...new Map([...legacy, ...documents].map((module) => [module.name, module])).values()];
}
