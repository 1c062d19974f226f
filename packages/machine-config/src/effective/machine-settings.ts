import { parseByteSize } from '../forms/byte-size.ts';
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
        /** Whether it is from UnattendedInstallConfig. */
        readonly isUnattended: boolean;
        /** Device path; empty when a selector chooses the disk. */
        readonly disk: string;
        /** CEL expression of the environment of disks; empty when the path names the disk. */
        readonly diskSelector: string;
        readonly image: string;
        /** Whether what is on the disk may be overwritten; undefined when the configuration says nothing: then a system may not. */
        readonly wipe: boolean | undefined;
        readonly extraKernelArgs: readonly string[];
        /** Whether GRUB starts the kernel with the arguments of the image, unchanged. */
        readonly usesImageArguments: boolean;
        /** Whether the entry of the protective MBR is marked as active. */
        readonly marksMbr: boolean;
        /** Whether the machine restarts from the disk; undefined when the configuration does not say. */
        readonly reboots: boolean | undefined;
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
      ...{ isUnattended: true, disk: '', image: document.text('installer', 'image') },
      diskSelector: document.text('provisioning', 'diskSelector', 'match'),
      wipe: document.boolean('provisioning', 'wipe'),
      reboots: document.boolean('reboot'),
      ...{ extraKernelArgs: [], usesImageArguments: true, marksMbr: false },
    };
  }
  const { legacy } = reader;
  if (!legacy.has('machine', 'install')) return undefined;
  const install = legacy.below('machine', 'install');
  const diskSelector = diskSelectorOf(install.below('diskSelector'));
  return {
    ...{ isUnattended: false, diskSelector, image: install.text('image') },
    // A selector wins. Source: Talos v1.14: installation.
    disk: diskSelector === '' ? install.text('disk') : '',
    wipe: install.boolean('wipe') ?? false,
    extraKernelArgs: install.texts('extraKernelArgs'),
    usesImageArguments: install.boolean('grubUseUKICmdline') ?? false,
    marksMbr: install.boolean('legacyBIOSSupport') ?? false,
    reboots: true,
  };
}

/** Never matched by such a selector: disks without a known transport, read-only ones and CD-ROMs. Source: Talos v1.14: installation. */
const always = ["disk.transport != ''", '!disk.readonly', '!disk.cdrom'];
const typeTerms: Readonly<Record<string, string>> = {
  nvme: "disk.transport == 'nvme'",
  sd: "disk.transport == 'mmc'",
  hdd: 'disk.rotational',
  ssd: '!disk.rotational',
};
/** Fields of the selector by the property of a disk that they are patterns for. */
const patterns: Readonly<Record<string, string>> = {
  ...{
    model: 'model',
    serial: 'serial',
    modalias: 'modalias',
    uuid: 'uuid',
    wwid: 'wwid',
    busPath: 'bus_path',
  },
};

/** The old form of a selector as an expression; empty when no term is set. All terms must match. */
function diskSelectorOf(selector: DocumentReader): string {
  const [, operator = '', size = ''] = /^(>=|<=|==|>|<)?\s*(.*)$/.exec(selector.text('size')) ?? [];
  const bytes = parseByteSize(size);
  const type = selector.text('type').toLowerCase();
  const terms = [
    ...(bytes === undefined ? [] : [`disk.size ${operator || '=='} ${bytes}u`]),
    ...(Object.hasOwn(typeTerms, type) ? [typeTerms[type] ?? ''] : []),
    ...Object.entries(patterns).flatMap(([field, property]) => {
      const pattern = selector.text(field);
      return pattern === '' ? [] : [`glob(${JSON.stringify(pattern)}, disk.${property})`];
    }),
  ];
  return terms.length === 0 ? '' : [...always, ...terms].join(' && ');
}
