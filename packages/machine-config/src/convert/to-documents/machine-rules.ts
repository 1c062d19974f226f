import type { DocumentReader, ValuePath } from '../../effective/config-reader.ts';
import { ConfigReader } from '../../effective/config-reader.ts';
import { machineSettings } from '../../effective/machine-settings.ts';
import { isDns1123Subdomain } from '../../forms/names.ts';
import type { YamlValue } from '../../yaml/yaml-value.ts';
import type { DocumentDraft } from '../document-draft.ts';
import type { Outcome, SectionContext, SectionRule } from '../section-rule.ts';
import { isUnset } from '../value-path.ts';

/** Documents have PEM as it is, and the old form has it in base64. */
export const pemFromBase64 = (value: YamlValue): YamlValue =>
  typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : value;

/** A section that one document takes over unchanged. */
function whole(section: ValuePath, kind: string, to: ValuePath): SectionRule {
  return {
    section,
    convert(context) {
      if (isUnset(context.value(section))) return undefined;
      return { documents: [context.draft(kind).move(to, section)], removes: [section] };
    },
  };
}

/** Sections of `machine`, except those of the network and the kubelet. */
export const machineRules: readonly SectionRule[] = [
  { section: ['machine', 'install'], convert: install },
  { section: ['machine', 'registries'], convert: registries },
  {
    section: ['machine', 'features', 'imageCache'],
    convert(context) {
      const section = ['machine', 'features', 'imageCache'];
      if (!context.legacy.has(...section)) return undefined;
      const draft = context
        .draft('ImageCacheConfig')
        .move(['local', 'enabled'], [...section, 'localEnabled']);
      return { documents: draft.has('local') ? [draft] : [], removes: [section] };
    },
  },
  whole(['machine', 'baseRuntimeSpecOverrides'], 'CRIBaseRuntimeSpecConfig', ['overrides']),
  whole(['machine', 'sysctls'], 'SysctlConfig', ['params']),
  whole(['machine', 'sysfs'], 'SysfsConfig', ['params']),
  whole(['machine', 'env'], 'EnvironmentConfig', ['variables']),
  whole(['machine', 'udev', 'rules'], 'UdevRulesConfig', ['rules']),
  {
    section: ['machine', 'kernel', 'modules'],
    convert(context) {
      const section = ['machine', 'kernel', 'modules'];
      const modules = context.legacy.items(...section);
      if (modules.length === 0) return undefined;
      const documents = modules.map((_, at) =>
        context
          .draft('KernelModuleConfig')
          .move(['name'], [...section, at, 'name'])
          .move(['parameters'], [...section, at, 'parameters']),
      );
      return { documents, removes: [section] };
    },
  },
  {
    section: ['machine', 'pods'],
    convert(context) {
      const section = ['machine', 'pods'];
      const pods = context.legacy.items(...section);
      if (pods.length === 0) return undefined;
      const documents = pods.map((pod, at) => {
        const own = pod.text('metadata', 'name');
        const name = isDns1123Subdomain(own) ? own : `pod-${at + 1}`;
        return context
          .draft('KubeStaticPodConfig')
          .named(name, [...section, at, 'metadata', 'name'])
          .move(['pod'], [...section, at]);
      });
      return { documents, removes: [section] };
    },
  },
  ...(['state', 'ephemeral'] as const).map((partition): SectionRule => {
    const section = ['machine', 'systemDiskEncryption', partition];
    return { section, convert: (context) => encryption(context, section, partition.toUpperCase()) };
  }),
  stays(['machine', 'files'], 'files have no one counterpart: use EtcFileConfig or CRICustomizationConfig'),
  stays(
    ['machine', 'disks'],
    'a UserVolumeConfig is another partition, and the data of this one would be out of reach',
  ),
];

function stays(section: ValuePath, text: string): SectionRule {
  return { section, convert: (context) => (isUnset(context.value(section)) ? undefined : { stays: text }) };
}

function encryption(context: SectionContext, section: readonly string[], name: string): Outcome {
  const { legacy } = context;
  if (!legacy.has(...section)) return undefined;
  if (context.isPatch) return { stays: 'a patch of an encryption may not say all that its document needs' };
  const draft = context.draft('VolumeConfig').named(name, section);
  draft.move(['encryption'], section);
  draft.write(['encryption', 'provider'], 'luks2', 'luks2, the only one; the document needs it');
  return { documents: [draft], removes: [section], extends: true };
}

/** Keys that the document does not have. */
const installOnly: readonly [string, (install: DocumentReader) => boolean, string][] = [
  [
    'extraKernelArgs',
    (install) => install.texts('extraKernelArgs').length > 0,
    'extraKernelArgs has no counterpart',
  ],
  ['extensions', (install) => install.items('extensions').length > 0, 'extensions has no counterpart'],
  [
    'legacyBIOSSupport',
    (install) => install.boolean('legacyBIOSSupport') === true,
    'legacyBIOSSupport has no counterpart',
  ],
];

function install(context: SectionContext): Outcome {
  const section = ['machine', 'install'];
  const { legacy, isPatch } = context;
  if (!legacy.has(...section)) return undefined;
  const own = legacy.below(...section);
  const without = installOnly.find(([, isSet]) => isSet(own));
  if (without !== undefined) return { stays: without[2], at: [...section, without[0]] };
  if (!isPatch && own.boolean('grubUseUKICmdline') !== true)
    return {
      stays:
        'without grubUseUKICmdline, GRUB keeps its own kernel arguments; the document always takes those of the image',
    };
  if (isPatch && (own.has('grubUseUKICmdline') || own.has('diskSelector')))
    return { stays: 'a patch of these keys has no counterpart' };
  const draft = context.draft('UnattendedInstallConfig').move(['installer', 'image'], [...section, 'image']);
  const { install: settings } = machineSettings(new ConfigReader([legacy.document]));
  const match = ['provisioning', 'diskSelector', 'match'];
  if (settings?.diskSelector) draft.put(match, settings.diskSelector, [...section, 'diskSelector']);
  else if (settings?.disk) draft.put(match, selectorOfPath(settings.disk), [...section, 'disk']);
  else if (!isPatch) return { stays: 'it names no disk, which its document needs' };
  if (own.has('wipe'))
    draft.put(['provisioning', 'wipe'], own.boolean('wipe') ?? false, [...section, 'wipe']);
  draft.write(
    ['provisioning', 'wipe'],
    false,
    'false, as machine.install has it; the document would erase the disk',
  );
  draft.write(['reboot'], true, 'true, as a node does after an installation by machine.install');
  return { documents: [draft], removes: [section] };
}

/** The expression that selects the disk with the path, but no CD-ROM and nothing that cannot be written. */
export function selectorOfPath(path: string): string {
  const quoted = JSON.stringify(path);
  const term = path.startsWith('/dev/disk/') ? `${quoted} in disk.symlinks` : `disk.dev_path == ${quoted}`;
  return `${term} && !disk.readonly && !disk.cdrom`;
}

function registries(context: SectionContext): Outcome {
  const section = ['machine', 'registries'];
  const { legacy, isPatch } = context;
  if (!legacy.has(...section)) return undefined;
  const odd = Object.keys(legacy.map(...section, 'config')).find((host) =>
    hasOldKey(legacy.below(...section, 'config', host)),
  );
  if (odd !== undefined)
    return {
      stays: `RegistryTLSConfig/${odd} needs the key of its client in PKCS#8: convert it with "openssl pkcs8 -topk8 -nocrypt"`,
      at: [...section, 'config', odd],
    };
  const hosts = Object.keys(legacy.map(...section, 'mirrors'));
  const endpointsOf = (host: string) => legacy.texts(...section, 'mirrors', host, 'endpoints');
  const bare = hosts.find(
    (host) =>
      isPatch && endpointsOf(host).length === 0 && legacy.has(...section, 'mirrors', host, 'overridePath'),
  );
  if (bare !== undefined)
    return {
      stays: 'the document has overridePath at each endpoint, and the patch has none',
      at: [...section, 'mirrors', bare, 'overridePath'],
    };
  const mirrors = hosts.map((host) => mirror(context, host));
  const configs = Object.keys(legacy.map(...section, 'config')).flatMap((host) =>
    registryAccess(context, host),
  );
  const patched = isPatch ? hosts.filter((host) => endpointsOf(host).length > 0) : [];
  return { documents: [...mirrors, ...configs], removes: [section], notes: patched.map(ownPaths) };
}

/** In the old form, the key is for all endpoints of a mirror, whether the configuration or the patch has them. */
function ownPaths(host: string) {
  const text =
    'overridePath is a key of each endpoint: those of the patch and of the configuration do not share it';
  return { kind: 'changed', key: `machine.registries.mirrors.${host}`, text } as const;
}

/** The document accepts no key in the form of its algorithm. Source: Talos v1.13.9: validate. */
function hasOldKey(config: DocumentReader): boolean {
  const pem = pemFromBase64(config.text('tls', 'clientIdentity', 'key'));
  return pem !== '' && !String(pem).includes('-----BEGIN PRIVATE KEY-----');
}

function mirror(context: SectionContext, host: string): DocumentDraft {
  const at = ['machine', 'registries', 'mirrors', host];
  const own = context.legacy.below(...at);
  const overridePath = own.boolean('overridePath') === true ? { overridePath: true } : {};
  const draft = context.draft('RegistryMirrorConfig').named(host, at);
  const urls = own.texts('endpoints');
  if (urls.length > 0)
    draft.put(
      ['endpoints'],
      urls.map((url) => ({ url, ...overridePath })),
      [...at, 'endpoints'],
    );
  for (const index of urls.keys())
    draft.moves.push({ to: ['endpoints', index, 'url'], from: [...at, 'endpoints', index] });
  if (urls.length > 0 && own.has('overridePath'))
    draft.moves.push({ to: ['endpoints', 0, 'overridePath'], from: [...at, 'overridePath'] });
  return draft.move(['skipFallback'], [...at, 'skipFallback']);
}

function registryAccess(context: SectionContext, host: string): DocumentDraft[] {
  const at = ['machine', 'registries', 'config', host];
  const tls = context
    .draft('RegistryTLSConfig')
    .named(host, at)
    .move(['clientIdentity', 'cert'], [...at, 'tls', 'clientIdentity', 'crt'], pemFromBase64)
    .move(['clientIdentity', 'key'], [...at, 'tls', 'clientIdentity', 'key'], pemFromBase64)
    .move(['ca'], [...at, 'tls', 'ca'], pemFromBase64)
    .move(['insecureSkipVerify'], [...at, 'tls', 'insecureSkipVerify']);
  const auth = context.draft('RegistryAuthConfig').named(host, at);
  for (const key of ['username', 'password', 'auth', 'identityToken']) auth.move([key], [...at, 'auth', key]);
  // Without any setting, TLS still keeps the registry apart from the mirrors of `*`.
  const hasTls = context.legacy.below(...at).has('tls');
  return [...(hasTls ? [tls] : []), ...(auth.moves.length > 1 ? [auth] : [])];
}
