import type { ConfigReader, DocumentReader } from './config-reader.ts';

/** Who the node is, and whom it trusts. */
export interface MachineSettings {
  /** Holds the v1alpha1 document: only then can a node boot with it. */
  readonly isComplete: boolean;
  /** Verbose logs of services on the console. */
  readonly debug: boolean;
  /** `unknown` for any text that is no type, and where there is no v1alpha1 document. */
  readonly machineType: 'init' | 'controlplane' | 'worker' | 'unknown';
  /** What a joining node shows to trustd; empty when not given. A secret. */
  readonly token: string;
  /** The CA of the OS API, PEM. The key is a secret and on control planes only. */
  readonly issuingCA: { readonly certificate: string; readonly key?: string } | undefined;
  /** Further CAs of the OS API to trust, PEM, in their order; without the issuing one. */
  readonly acceptedCAs: readonly string[];
  /** Further names and addresses for the certificate of the OS API. */
  readonly certSANs: readonly string[];
  /** Where to install, of either form. */
  readonly install:
    | {
        /** A device path; empty when a selector picks the disk. */
        readonly disk: string;
        /** CEL, of UnattendedInstallConfig only. */
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
