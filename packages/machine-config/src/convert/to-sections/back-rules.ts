import { isDeepStrictEqual } from 'node:util';
import type { ConfigDocument } from '../../config-document.ts';
import { ConfigReader, type ValuePath } from '../../effective/config-reader.ts';
import { controlPlaneSettings } from '../../effective/control-plane-settings.ts';
import { machineSettings } from '../../effective/machine-settings.ts';
import { discoveryEndpoint } from '../../generate/node-documents.ts';
import { legacyKind } from '../../schema/document-schema.ts';
import { base64FromPem } from '../../secrets/encode-secrets.ts';
import type { YamlMap, YamlValue } from '../../yaml/yaml-value.ts';
import type { ConversionNote } from '../conversion.ts';
import type { BackContext, BackOutcome, BackRule, SectionValue } from '../convert-to-sections.ts';
import { selectorOfPath } from '../to-documents/machine-rules.ts';
import { isUnset, valueAt } from '../value-path.ts';
import { backApiServer } from './back-api-server.ts';

type Change = (value: YamlValue) => YamlValue;
type Field = readonly [from: string, to: string, change?: Change];

const toBase64: Change = (value) => (typeof value === 'string' ? base64FromPem(value) : value);
const not: Change = (value) => value !== true;

/** The values of the fields that are set. */
export function valuesOf(document: ConfigDocument, fields: readonly Field[]): SectionValue[] {
  return fields.flatMap(([from, to, change = (value: YamlValue) => value]) => {
    const path = from.split('.');
    const value = valueAt(document.value, path);
    if (value === undefined || isUnset(value)) return [];
    return [{ to: to.split('.'), value: change(value), document, from: path }];
  });
}

export const documentsOf = ({ documents }: BackContext, kind: string) =>
  documents.filter((each) => each.kind === kind);

/** A document of which each field has a key in the old form. Fields without one must not be set. */
function singleton(
  kind: string,
  fields: readonly Field[],
  more: { without?: string[]; fixed?: [string, YamlValue][] } = {},
): BackRule {
  return (context) => {
    const [document] = documentsOf(context, kind);
    if (document === undefined) return undefined;
    const odd = more.without?.find((key) => !isUnset(valueAt(document.value, key.split('.'))));
    if (odd !== undefined) return { stays: `${odd} has no counterpart`, documents: [document] };
    const fixed = (more.fixed ?? []).map(
      ([to, value]): SectionValue => ({ to: to.split('.'), value, document, from: ['kind'] }),
    );
    return { values: [...fixed, ...valuesOf(document, fields)], removes: [document] };
  };
}

/** Documents that are the elements of a list in the old form. */
function elements(
  kind: string,
  to: string,
  element: (document: ConfigDocument) => YamlValue,
  notes: readonly ConversionNote[] = [],
): BackRule {
  return (context) => {
    const documents = documentsOf(context, kind);
    if (documents.length === 0) return undefined;
    const values = documents.map((document) => ({
      to: to.split('.'),
      value: [element(document)],
      document,
      from: ['name'],
      appends: true,
    }));
    return { values, removes: documents, notes };
  };
}

const kubelet = (key: string) => `machine.kubelet.${key}`;

export const backRules: readonly BackRule[] = [
  backApiServer,
  component('KubeControllerManagerConfig', 'controllerManager'),
  component('KubeSchedulerConfig', 'scheduler', [['config', 'cluster.scheduler.config']]),
  proxy,
  singleton('KubeCoreDNSConfig', [
    ['enabled', 'cluster.coreDNS.disabled', not],
    ['image', 'cluster.coreDNS.image'],
  ]),
  kubelets,
  singleton('KubePrismConfig', [['port', 'machine.features.kubePrism.port']], {
    without: ['tlsServerName'],
    fixed: [['machine.features.kubePrism.enabled', true]],
  }),
  singleton(
    'KubeTalosAPIAccessConfig',
    ['allowedRoles', 'allowedKubernetesNamespaces'].map(
      (key): Field => [key, `machine.features.kubernetesTalosAPIAccess.${key}`],
    ),
    { fixed: [['machine.features.kubernetesTalosAPIAccess.enabled', true]] },
  ),
  discovery,
  singleton('DiscoveryIdentityConfig', [
    ['clusterID', 'cluster.id'],
    ['clusterSecret', 'cluster.secret'],
  ]),
  serviceAccount,
  singleton('KubeClusterConfig', [
    ['clusterName', 'cluster.clusterName'],
    ['endpoint', 'cluster.controlPlane.endpoint'],
  ]),
  network,
  externalManifests,
  elements('KubeInlineManifestConfig', 'cluster.inlineManifests', ({ value }) => ({
    name: value.name,
    contents: value.manifest,
  })),
  kubernetesCA,
  singleton(
    'KubeAggregatorCAConfig',
    [
      ['issuingCA.cert', 'cluster.aggregatorCA.crt', toBase64],
      ['issuingCA.key', 'cluster.aggregatorCA.key', toBase64],
    ],
    { without: ['acceptedCAs'] },
  ),
  encryption,
  install,
  singleton('ImageCacheConfig', [['local.enabled', 'machine.features.imageCache.localEnabled']]),
  singleton('CRIBaseRuntimeSpecConfig', [['overrides', 'machine.baseRuntimeSpecOverrides']]),
  singleton('SysctlConfig', [['params', 'machine.sysctls']]),
  singleton('SysfsConfig', [['params', 'machine.sysfs']]),
  singleton('UdevRulesConfig', [['rules', 'machine.udev.rules']]),
  elements('KernelModuleConfig', 'machine.kernel.modules', ({ value }) => value),
  elements('KubeStaticPodConfig', 'machine.pods', ({ value }) => value.pod ?? {}),
  hostDns,
];

function component(kind: string, name: string, more: readonly Field[] = []): BackRule {
  const keys = ['image', 'extraArgs', 'env', 'resources'].map(
    (key): Field => [key, `cluster.${name}.${key}`],
  );
  return singleton(kind, [...keys, ...more, ['enabled', `machine.controlPlane.${name}.disabled`, not]]);
}

function proxy(context: BackContext): BackOutcome {
  const rule = singleton(
    'KubeProxyConfig',
    [
      ...['image', 'mode', 'extraArgs'].map((key): Field => [key, `cluster.proxy.${key}`]),
      ['enabled', 'cluster.proxy.disabled', not],
    ],
    { without: ['config', 'resources'] },
  );
  const outcome = rule(context);
  if (outcome === undefined || 'stays' in outcome) return outcome;
  const document = outcome.removes[0] as ConfigDocument;
  const notes: ConversionNote[] = [];
  const values = [...outcome.values];
  if (isUnset(document.value.mode)) {
    values.push({ to: ['cluster', 'proxy', 'mode'], value: 'nftables', document, from: ['kind'] });
    notes.push({
      kind: 'default',
      key: 'cluster.proxy.mode',
      text: 'nftables, the default of KubeProxyConfig; that of the section is iptables',
    });
  }
  if (!isUnset(document.value.extraArgs))
    notes.push({
      kind: 'changed',
      key: 'KubeProxyConfig: extraArgs',
      text: 'kube-proxy ignores most flags beside the configuration file of the document, and obeys those of the section',
      effective: 'manifests.proxy.extraArgs',
    });
  const text = 'kube-proxy has flags only, so its pods start anew once';
  notes.push({ kind: 'changed', key: 'KubeProxyConfig', text, effective: 'manifests.proxy.config' });
  return { ...outcome, values, notes };
}

const roleKey = 'node-role.kubernetes.io/control-plane';

/** The kubelet, its credential providers and its node share one section, so they move together. */
function kubelets(context: BackContext): BackOutcome {
  const [own, providers, node] = ['KubeletConfig', 'KubeCredentialProviderConfig', 'KubeNodeConfig'].map(
    (kind) => documentsOf(context, kind)[0],
  );
  const documents = [own, providers, node].filter((document) => document !== undefined);
  if (documents.length === 0) return undefined;
  const values: SectionValue[] = [];
  if (own) {
    values.push({ to: ['machine', 'kubelet'], value: {}, document: own, from: ['kind'] });
    values.push(
      ...valuesOf(own, [
        ['config', kubelet('extraConfig')],
        ...['image', 'extraArgs', 'clusterDNS', 'defaultRuntimeSeccompProfileEnabled'].map(
          (key): Field => [key, kubelet(key)],
        ),
      ]),
    );
  }
  if (providers)
    values.push(...valuesOf(providers, [['configuration', kubelet('credentialProviderConfig')]]));
  if (node) {
    const labels = { ...(node.value.labels as YamlMap | undefined) };
    const taints = { ...(node.value.taints as YamlMap | undefined) };
    if (context.isControlPlane && labels[roleKey] === undefined)
      return { stays: 'the old form always adds the label of the role', documents: [node] };
    if (context.isControlPlane && labels[roleKey] === '') delete labels[roleKey];
    if (context.isControlPlane && taints[roleKey] === undefined)
      values.push({
        to: ['cluster', 'allowSchedulingOnControlPlanes'],
        value: true,
        document: node,
        from: ['taints'],
      });
    else if (context.isControlPlane && taints[roleKey] === 'NoSchedule') delete taints[roleKey];
    const changed = { kind: node.kind, value: { ...node.value, labels, taints } };
    values.push(
      ...valuesOf(changed, [
        ...['skipNodeRegistration', 'registerWithFQDN', 'nodeIP'].map((key): Field => [key, kubelet(key)]),
        ...([
          ['labels', 'machine.nodeLabels'],
          ['annotations', 'machine.nodeAnnotations'],
          ['taints', 'machine.nodeTaints'],
        ] as const),
      ]).map((each) => ({ ...each, document: node })),
    );
  }
  return { values, removes: documents };
}

function discovery(context: BackContext): BackOutcome {
  const documents = documentsOf(context, 'DiscoveryServiceConfig');
  const [document] = documents;
  if (document === undefined) return undefined;
  const endpoint = String(document.value.endpoint ?? '');
  if (documents.length > 1) return { stays: 'the section has one service only', documents };
  if (
    document.value.name !== 'default' ||
    !URL.canParse(endpoint) ||
    !['', '/'].includes(new URL(endpoint).pathname)
  )
    return { stays: 'the service of the section is named default, and its URL has no path', documents };
  const service = ['cluster', 'discovery', 'registries', 'service', 'endpoint'];
  const at = (to: string[], value: YamlValue, from: ValuePath): SectionValue => ({
    to,
    value,
    document,
    from,
  });
  return {
    values: [
      at(['cluster', 'discovery', 'enabled'], true, ['kind']),
      at(['cluster', 'discovery', 'registries', 'kubernetes', 'disabled'], true, ['kind']),
      ...(endpoint === discoveryEndpoint ? [] : [at(service, endpoint, ['endpoint'])]),
    ],
    removes: documents,
  };
}

function serviceAccount(context: BackContext): BackOutcome {
  const [document] = documentsOf(context, 'KubeServiceAccountConfig');
  if (document === undefined) return undefined;
  const accepted = document.value.accepted as YamlMap | undefined;
  if (Object.values(accepted ?? {}).some((list) => !isUnset(list)))
    return { stays: 'accepted has no counterpart', documents: [document] };
  if (valueAt(document.value, ['issuer', 'issuerURL']) !== context.endpoint)
    return { stays: 'in the old form the issuer is the endpoint of the cluster', documents: [document] };
  return {
    values: valuesOf(document, [['issuer.privateKey', 'cluster.serviceAccount.key', toBase64]]),
    removes: [document],
  };
}

function network(context: BackContext): BackOutcome {
  const [document] = documentsOf(context, 'KubeNetworkConfig');
  const [flannel] = documentsOf(context, 'KubeFlannelCNIConfig');
  if (document === undefined) return undefined;
  const { nodeCIDRMaskSizeIPv4: four, nodeCIDRMaskSizeIPv6: six } = document.value;
  if (![undefined, 0, 24].includes(four as number) || ![undefined, 0, 64].includes(six as number))
    return { stays: 'the lengths of pod subnets have no counterpart', documents: [document] };
  const values = valuesOf(
    document,
    ['dnsDomain', 'podSubnets', 'serviceSubnets'].map((key): Field => [key, `cluster.network.${key}`]),
  );
  const cni = 'cluster.network.cni';
  const notes = lostMasks(context);
  if (flannel === undefined) {
    if (context.isControlPlane)
      values.push({ to: [...cni.split('.'), 'name'], value: 'none', document, from: ['kind'] });
    return { values, removes: [document], notes };
  }
  const { backendType, backendPort, backendMTU, backendExtraConfig, resources } = flannel.value;
  const isOdd =
    backendType !== 'vxlan' ||
    backendPort !== 4789 ||
    [backendMTU, backendExtraConfig, resources].some((value) => !isUnset(value) && value !== 0);
  if (isOdd) return { stays: 'the old form has vxlan on 4789 only', documents: [flannel] };
  values.push({ to: [...cni.split('.'), 'name'], value: 'flannel', document: flannel, from: ['kind'] });
  values.push(
    ...valuesOf(
      flannel,
      ['extraArgs', 'kubeNetworkPoliciesEnabled'].map((key): Field => [key, `${cni}.flannel.${key}`]),
    ),
  );
  return { values, removes: [document, flannel], notes };
}

/** The rule of the controller manager has run, so the flag may be in its section already. */
function lostMasks({ reader }: BackContext): ConversionNote[] {
  const { extraArgs } = controlPlaneSettings(reader).controllerManager;
  if (!Object.hasOwn(extraArgs, 'node-cidr-mask-size')) return [];
  const text =
    'the flag node-cidr-mask-size decides alone; beside the document the controller manager refused it';
  return [{ kind: 'changed', key: 'KubeNetworkConfig', text, effective: 'controlPlane.nodeMasks' }];
}

function externalManifests(context: BackContext): BackOutcome {
  const documents = documentsOf(context, 'KubeExternalManifestConfig');
  const [first] = documents;
  if (first === undefined) return undefined;
  const headers = first.value.headers ?? {};
  const old = context.reader.legacy.map('cluster', 'extraManifestHeaders');
  const hasList = context.reader.legacy.texts('cluster', 'extraManifests').length > 0;
  if (
    documents.some(
      ({ value }) => !isDeepStrictEqual({ ...(value.headers as YamlMap) }, { ...(headers as YamlMap) }),
    ) ||
    (hasList && !isDeepStrictEqual({ ...old }, { ...(headers as YamlMap) }))
  )
    return { stays: 'the old form has the same headers for all manifests', documents };
  const values = documents.map(
    (document): SectionValue => ({
      to: ['cluster', 'extraManifests'],
      value: [document.value.url ?? ''],
      document,
      from: ['url'],
      appends: true,
    }),
  );
  if (!isUnset(headers) && !hasList)
    values.push({
      to: ['cluster', 'extraManifestHeaders'],
      value: headers,
      document: first,
      from: ['headers'],
    });
  const text = 'the URL of a manifest is its name in the old form';
  return {
    values,
    removes: documents,
    notes: [{ kind: 'changed', key: 'KubeExternalManifestConfig', text, effective: 'manifests.names' }],
  };
}

function kubernetesCA(context: BackContext): BackOutcome {
  const [document] = documentsOf(context, 'KubeAPIServerCAConfig');
  if (document === undefined) return undefined;
  const accepted = ((document.value.acceptedCAs as string[] | undefined) ?? []).map((pem) =>
    base64FromPem(pem),
  );
  const issuing = valuesOf(document, [
    ['issuingCA.cert', 'cluster.ca.crt', toBase64],
    ['issuingCA.key', 'cluster.ca.key', toBase64],
  ]);
  const [first, ...others] = accepted;
  const at = (to: string[], value: YamlValue): SectionValue => ({
    to,
    value,
    document,
    from: ['acceptedCAs'],
  });
  const isWorker = issuing.length === 0 && first !== undefined;
  const rest = isWorker ? others : accepted;
  return {
    values: [
      ...issuing,
      ...(isWorker ? [at(['cluster', 'ca', 'crt'], first), at(['cluster', 'ca', 'key'], '')] : []),
      ...(rest.length > 0
        ? [
            at(
              ['cluster', 'acceptedCAs'],
              rest.map((crt) => ({ crt })),
            ),
          ]
        : []),
    ],
    removes: [document],
  };
}

function encryption(context: BackContext): BackOutcome {
  const [document] = documentsOf(context, 'KubeEtcdEncryptionConfig');
  if (document === undefined) return undefined;
  const providers =
    (valueAt(document.value, ['config', 'resources', 0, 'providers']) as YamlMap[] | undefined) ?? [];
  const secretOf = (provider: string, name: string) => {
    const at = providers.findIndex((each) => each[provider] !== undefined);
    const keys = valueAt(providers[at], [provider, 'keys']) as YamlMap[] | undefined;
    return keys?.length === 1 && keys[0]?.name === name ? keys[0].secret : undefined;
  };
  const [secretbox, aescbc] = [secretOf('secretbox', 'key2'), secretOf('aescbc', 'key1')];
  const keyed = (provider: string, name: string, secret: YamlValue | undefined): YamlMap[] =>
    secret === undefined ? [] : [{ [provider]: { keys: [{ name, secret }] } }];
  const expected = [...keyed('secretbox', 'key2', secretbox), ...keyed('aescbc', 'key1', aescbc)];
  const hasIdentity = providers.at(-1)?.identity !== undefined;
  const wanted = {
    resources: [
      { resources: ['secrets'], providers: hasIdentity ? [...expected, { identity: {} }] : expected },
    ],
  };
  if (
    expected.length === 0 ||
    !isDeepStrictEqual(JSON.parse(JSON.stringify(document.value.config)), JSON.parse(JSON.stringify(wanted)))
  )
    return {
      stays: 'the old form has one secretbox key key2 and one AES-CBC key key1 only',
      documents: [document],
    };
  const at = (key: string, value: YamlValue | undefined): SectionValue[] =>
    value === undefined ? [] : [{ to: ['cluster', key], value, document, from: ['config'] }];
  const text = 'the old form can also read Secrets that are not encrypted';
  return {
    values: [...at('secretboxEncryptionSecret', secretbox), ...at('aescbcEncryptionSecret', aescbc)],
    removes: [document],
    notes: hasIdentity
      ? []
      : [{ kind: 'changed', key: 'KubeEtcdEncryptionConfig', text, effective: 'identity.encryption' }],
  };
}

function install(context: BackContext): BackOutcome {
  const [document] = documentsOf(context, 'UnattendedInstallConfig');
  if (document === undefined) return undefined;
  const match = String(valueAt(document.value, ['provisioning', 'diskSelector', 'match']) ?? '');
  const quoted =
    /^(?:disk\.dev_path == )?("(?:[^"\\]|\\.)*")(?: in disk\.symlinks)?(?: && !disk\.readonly && !disk\.cdrom)?$/.exec(
      match,
    )?.[1];
  const disk = quoted === undefined ? undefined : textOf(quoted);
  const selector = disk === undefined ? selectorFrom(match) : undefined;
  if (disk === undefined && selector === undefined)
    return { stays: 'its selector has no counterpart', documents: [document] };
  const at = (key: string, value: YamlValue, from: ValuePath): SectionValue => ({
    to: ['machine', 'install', key],
    value,
    document,
    from,
  });
  const image = valueAt(document.value, ['installer', 'image']);
  const notes: ConversionNote[] = [];
  if (disk !== undefined && selectorOfPath(disk) !== match)
    notes.push({
      kind: 'changed',
      key: 'UnattendedInstallConfig',
      text: 'the disk is named by its path',
      effective: 'install.diskSelector',
    });
  if (document.value.reboot !== true)
    notes.push({
      kind: 'changed',
      key: 'UnattendedInstallConfig: reboot',
      text: 'a node always restarts after an installation',
      effective: 'install.reboots',
    });
  return {
    values: [
      at(disk === undefined ? 'diskSelector' : 'disk', disk ?? selector ?? '', [
        'provisioning',
        'diskSelector',
        'match',
      ]),
      ...(isUnset(image) ? [] : [at('image', image as string, ['installer', 'image'])]),
      at('wipe', valueAt(document.value, ['provisioning', 'wipe']) !== false, ['provisioning', 'wipe']),
      at('grubUseUKICmdline', true, ['kind']),
    ],
    removes: [document],
    notes,
  };
}

function textOf(quoted: string): string | undefined {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return undefined;
  }
}

const selectorTypes: Readonly<Record<string, string>> = {
  "disk.transport == 'nvme'": 'nvme',
  "disk.transport == 'mmc'": 'sd',
  'disk.rotational': 'hdd',
  '!disk.rotational': 'ssd',
};

/** The old form of a selector, if the expression is one that the conversion writes for it. */
function selectorFrom(match: string): YamlMap | undefined {
  const fields: Record<string, string> = {};
  const size = /disk\.size (>=|<=|==|>|<) (\d+)u/.exec(match);
  if (size) fields.size = `${size[1]} ${size[2]}`;
  const terms = match.split(' && ');
  const type = Object.keys(selectorTypes).find((term) => terms.includes(term));
  if (type !== undefined) fields.type = selectorTypes[type] ?? '';
  for (const [, pattern = '', property = ''] of match.matchAll(/glob\(("(?:[^"\\]|\\.)*"), disk\.(\w+)\)/g))
    fields[property === 'bus_path' ? 'busPath' : property] = textOf(pattern) ?? '';
  // Only what gives the same expression again says the same.
  const legacy = { kind: legacyKind, value: { machine: { install: { diskSelector: fields } } } };
  const again = machineSettings(new ConfigReader([legacy])).install?.diskSelector;
  return again === match ? fields : undefined;
}

function hostDns(context: BackContext): BackOutcome {
  const [document] = documentsOf(context, 'ResolverConfig');
  if (document === undefined || isUnset(document.value.hostDNS)) return undefined;
  return {
    values: valuesOf(document, [['hostDNS', 'machine.features.hostDNS']]),
    removes: [],
    shrinks: [{ document, path: ['hostDNS'] }],
  };
}
