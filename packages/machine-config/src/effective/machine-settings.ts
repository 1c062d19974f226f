import type { ConfigReader, DocumentReader } from './config-reader.ts';

/** Role, credentials and installation of the node. */
export interface MachineSettings {
  /**
   * Whether the configuration contains the v1alpha1 document. A node boots only with a complete
   * configuration.
   */
  readonly isComplete: boolean;
  /** Whether service logs also go to the console. */
  readonly debug: boolean;
  /** `unknown` when the type is invalid or the v1alpha1 document is missing. */
  readonly machineType: 'init' | 'controlplane' | 'worker' | 'unknown';
  /** Token that a joining node sends to trustd; empty when not set. A secret. */
  readonly token: string;
  /** CA of the OS API as PEM. The key is a secret that only control planes have. */
  readonly issuingCA: { readonly certificate: string; readonly key?: string } | undefined;
  /** Additional trusted CAs of the OS API as PEM, in order, without the issuing CA. */
  readonly acceptedCAs: readonly string[];
  /** Additional DNS names and IP addresses for the certificate of the OS API. */
  readonly certSANs: readonly string[];
  /** Installation settings, from UnattendedInstallConfig or `machine.install`. */
  readonly install:
    | {
        /** Device path; empty when a selector chooses the disk. */
        readonly disk: string;
        /** CEL expression, only from UnattendedInstallConfig; otherwise empty. */
        readonly diskSelector: string;
        readonly image: string;
        readonly wipe: boolean;
        readonly extraKernelArgs: readonly string[];
      }
    | undefined;
}

/** Source: Talos v1.14: machine configuration, v1alpha1 document, UnattendedInstallConfig. */
export function machineSettings(reader: ConfigReader): MachineSettings {
  const { legacy } = reader;
  const certificate = legacy.base64Pem('machine', 'ca', 'crt');
  const key = legacy.base64Pem('machine', 'ca', 'key');
  return {
    isComplete: reader.isComplete,
    debug: legacy.boolean('debug') ?? false,
    machineType: reader.isComplete ? machineTypeOf(legacy) : 'unknown',
    token: legacy.text('machine', 'token'),
    issuingCA: certificate === undefined ? undefined : { certificate, ...(key === undefined ? {} : { key }) },
    acceptedCAs: legacy.items('machine', 'acceptedCAs').flatMap((item) => item.base64Pem('crt') ?? []),
    certSANs: legacy.texts('machine', 'certSANs'),
    install: installSettings(reader),
  };
}

function machineTypeOf(legacy: DocumentReader): MachineSettings['machineType'] {
  const type = legacy.text('machine', 'type');
  if (type === 'init' || type === 'controlplane' || type === 'worker') return type;
  return type === '' || type === 'join' ? 'worker' : 'unknown';
}

function installSettings(reader: ConfigReader): MachineSettings['install'] {
  const document = reader.document('UnattendedInstallConfig');
  if (document) {
    return {
      disk: '',
      diskSelector: document.text('provisioning', 'diskSelector', 'match'),
      image: document.text('installer', 'image'),
      wipe: document.boolean('provisioning', 'wipe') ?? true,
      extraKernelArgs: [],
    };
  }
  const { legacy } = reader;
  if (!legacy.has('machine', 'install')) return undefined;
  return {
    disk: legacy.text('machine', 'install', 'disk'),
    diskSelector: '',
    image: legacy.text('machine', 'install', 'image'),
    wipe: legacy.boolean('machine', 'install', 'wipe') ?? false,
    extraKernelArgs: legacy.texts('machine', 'install', 'extraKernelArgs'),
  };
}
