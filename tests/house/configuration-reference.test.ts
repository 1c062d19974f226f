// The reference of the configuration says which settings a node does not act on. Nobody would correct that text when a
// part of machined begins to read a setting, or stops to, so here the readers of machined run over each field.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  ConfigReader,
  controlPlaneSettings,
  documentKinds,
  effectiveConfig,
  fieldPaths,
  kubeletSettings,
  kubernetesIdentity,
  legacyKind,
  manifestSettings,
  type NodeKind,
  nodeKinds,
  protections,
} from '@nodewright/machine-config';
import { inertTable } from '@nodewright/machine-config/inert';
import { fieldReference, noteOf } from '@nodewright/machine-config/reference';
import { fieldsBeside } from '../../packages/machine-config/src/docs/reference/testing/sample-choices.ts';
import {
  assembleDocument,
  entryName,
} from '../../packages/machine-config/src/docs/reference/testing/sample-documents.ts';
import { sharedAddressesOf } from '../../services/machined/src/base/domain/shared-addresses.ts';
import { type World, worlds } from '../../services/machined/src/base/domain/world.ts';
import { addressSpecsOf } from '../../services/machined/src/network/domain/address-documents.ts';
import {
  deviceAddresses,
  deviceLinks,
  deviceOperators,
  deviceRoutes,
  deviceVips,
  expandEntries,
  type PresentLink,
} from '../../services/machined/src/network/domain/device-configs.ts';
import { ethernetSpecsOf } from '../../services/machined/src/network/domain/ethernet-documents.ts';
import { aliasDocuments } from '../../services/machined/src/network/domain/link-aliases.ts';
import { linkSpecsOf } from '../../services/machined/src/network/domain/link-documents.ts';
import {
  operatorSpecsOf,
  probeSpecsOf,
  vipOperatorSpecsOf,
} from '../../services/machined/src/network/domain/operator-documents.ts';
import {
  routeSpecsOf,
  routingRuleSpecsOf,
} from '../../services/machined/src/network/domain/route-documents.ts';
import { markedInertTable } from '../../tools/inert-table.ts';

const checkout = join(import.meta.dirname, '..', '..');

/** Fields that controllers and calls of machined read themselves. */
const readInControllers: readonly string[] = [
  // volumes/controllers/volume-controllers.ts
  ...['VolumeConfig name', 'VolumeConfig provisioning.minSize', 'VolumeConfig provisioning.maxSize'],
  ...['VolumeConfig provisioning.grow', 'VolumeConfig provisioning.diskSelector.match'],
  // Only together with `cni.name: custom`, and with a KubeletConfig: machine-config/src/effective.
  ...['v1alpha1 cluster.network.cni.urls', 'KubeCredentialProviderConfig configuration'],
];

/** Fields that say nothing that a node could act on, or the only thing that nodes do. */
const informative: readonly string[] = [
  ...['v1alpha1 version', 'v1alpha1 persist', 'v1alpha1 machine.logging.destinations[].format'],
  ...['v1alpha1 machine.features.diskQuotaSupport', 'KubeStaticPodConfig name'],
];

/** The kinds of nodes whose world has a fact. */
const where = (fact: (world: World) => boolean): NodeKind[] => nodeKinds.filter((kind) => fact(worlds[kind]));
const withControlPlane = where(({ staticPods }) => staticPods !== 'none');
const withKubelet = where(({ staticPods }) => staticPods === 'kubelet');
const withOwnKernel = where(({ ownsKernel }) => ownsKernel);
const withContainers = where(({ runsContainers }) => runsContainers);

/** Fields that only some kinds of nodes act on, and the line of machined that makes the difference. The first row counts. */
const limited: readonly {
  readonly fields: RegExp;
  readonly on: readonly NodeKind[];
  readonly file: string;
  readonly line: string;
}[] = [
  {
    fields:
      /^(?:v1alpha1 machine\.kubelet\.skipNodeRegistration|KubeNodeConfig skipNodeRegistration)$|\bextraVolumes\[\]\.(?:host|mount)Path$|\bresources\.limits$/,
    on: withControlPlane,
    file: 'kubernetes/open-kubernetes.ts',
    line: "if (world.staticPods !== 'processes'",
  },
  {
    fields:
      /^v1alpha1 (?:machine\.(?:kubelet\.|pods$|node(?:Labels|Annotations|Taints)$)|cluster\.allowScheduling)|^Kube(?:Node|let|CredentialProvider|StaticPod)Config |^KubePrismConfig tlsServerName$/,
    on: withKubelet,
    file: 'base/domain/node-abilities.ts',
    line: "world.staticPods === 'kubelet' && facts.kubelet === 'on'",
  },
  {
    fields:
      /^(?:v1alpha1 cluster\.(?:apiServer|controllerManager|scheduler)|Kube(?:APIServer|ControllerManager|Scheduler)Config) ?\.?(?:extraVolumes\[\]\.readonly|resources\.requests)$/,
    on: withKubelet,
    file: 'kubernetes/open-kubernetes.ts',
    line: 'processes: { address, problems }',
  },
  {
    fields:
      /^v1alpha1 (?:machine\.controlPlane\.|cluster\.(?:apiServer|controllerManager|scheduler|proxy|coreDNS|aggregatorCA|serviceAccount|externalCloudProvider|network\.cni|inlineManifests)\b|cluster\.(?:token|aescbcEncryptionSecret|secretboxEncryptionSecret|extraManifests|extraManifestHeaders|network\.dnsDomain|controlPlane\.localAPIServerPort)$)|^Kube(?:APIServer|AdmissionControl|AggregatorCA|AuditPolicy|Authentication|Authorizer|ControllerManager|CoreDNS|EtcdEncryption|ExternalManifest|FlannelCNI|InlineManifest|Proxy|Scheduler|ServiceAccount)Config |^KubeNetworkConfig (?:dnsDomain|nodeCIDR)/,
    on: withControlPlane,
    file: 'kubernetes/open-kubernetes.ts',
    line: 'podsOf(init, ownAddress) ?? podsForKubelet(init)',
  },
  {
    fields:
      /^v1alpha1 (?:machine\.(?:sysctls$|sysfs$|kernel\.))|^(?:SysctlConfig|SysfsConfig|KernelModuleConfig) /,
    on: withOwnKernel,
    file: 'kernel/open-kernel.ts',
    line: 'writeParameter: isFirstProcess ?',
  },
  {
    fields:
      /^DHCPv4Config |^DHCPv6Config (?:name|ignoreHostname|clientIdentifier|duidRaw)$|^v1alpha1 machine\.network\.interfaces\[\]\.(?:vlans\[\]\.)?(?:dhcp$|dhcpOptions\.)/,
    on: where(({ ownsNetwork }) => ownsNetwork),
    file: 'network/open-network.ts',
    line: 'onMachine === undefined ? [] : Object.values(onMachine)',
  },
  {
    fields: /^v1alpha1 machine\.udev\.|^UdevRulesConfig /,
    on: where(({ runsUdevd }) => runsUdevd),
    file: 'base/domain/node-abilities.ts',
    line: 'runsUdevd: world.runsUdevd && isFirstProcess',
  },
  {
    fields: /^VolumeConfig (?:name$|provisioning\.(?:minSize|maxSize|grow|diskSelector\.match)$)/,
    on: where(({ ownsDisks }) => ownsDisks),
    file: 'volumes/controllers/volume-controllers.ts',
    line: 'hasPartitions: host.hasPartitions',
  },
  {
    fields: /^v1alpha1 debug$|^ExtensionServiceConfig /,
    on: withContainers,
    file: 'stages/topic-rows/service-rows.ts',
    line: 'own && containers && cgroups',
  },
  {
    fields:
      /^v1alpha1 machine\.network\.(?:nameservers|searchDomains|disableSearchDomain|extraHostEntries)\b|^(?:ResolverConfig|StaticHostConfig) /,
    on: withContainers,
    file: 'files/controllers/files-controllers.ts',
    line: 'runsContainers ? withCopies(files, copies, new Set(nodeResolverFiles)) : files',
  },
  {
    fields:
      /^(?:Link|Bond|Bridge|DummyLink|Veth|VLAN|VRF|Wireguard|BlackholeRoute|RoutingRule|LinkAlias|Ethernet)Config |^v1alpha1 machine\.network\.interfaces\[\]\.(?!vip\.|interface$|deviceSelector\.|vlans\[\]\.(?:vip\.|vlanId$))/,
    on: where(({ networkSteps }) => networkSteps.includes('create-link')),
    file: 'network/open-network.ts',
    line: 'if (!node.world.ownsNetwork ||',
  },
  {
    fields: /^v1alpha1 machine\.network\.interfaces\[\]\.|^Layer2VIPConfig /,
    on: where(({ networkSteps }) => networkSteps.includes('lend-address')),
    file: 'network/open-network.ts',
    line: 'if (networkSteps.length === 0)',
  },
  {
    fields: /^v1alpha1 machine\.install\b|^UnattendedInstallConfig /,
    on: ['machine'],
    file: 'stages/topic-rows/machine-rows.ts',
    line: 'return openInstallation({',
  },
  {
    fields: /^v1alpha1 machine\.time\.disabled$|^TimeSyncConfig enabled$/,
    on: where(({ asksTime }) => asksTime),
    file: 'time/domain/clock-trust.ts',
    line: 'return world.asksTime && !isDisabled',
  },
  {
    fields: /^v1alpha1 machine\.time\.bootTimeout$|^TimeSyncConfig bootTimeout$/,
    on: where(({ ownsClock }) => ownsClock),
    file: 'time/domain/clock-trust.ts',
    line: '!world.ownsClock ||',
  },
  {
    fields: /^v1alpha1 cluster\.etcd\.image$/,
    on: nodeKinds.filter((kind) => kind !== 'process'),
    file: 'etcd/open-etcd.ts',
    line: 'image: () => etcdImageOf(state, options.etcdImage)',
  },
];

/**
 * Values that effectiveConfig() computes and no node uses, with the fields that they are made of. When machined begins
 * to use one, the fields lose their `notApplied`, and the row goes.
 */
const unused: readonly { readonly value: RegExp; readonly fields: RegExp }[] = [
  { value: /\bkubeSpan\b/, fields: /^(?:v1alpha1 machine\.network\.kubespan\.|KubeSpanConfig )/ },
  { value: /\bworkloadIsolation\b/, fields: /^SecurityProfileConfig / },
  { value: /\bzswap\b/, fields: /^ZswapConfig / },
  { value: /\btrustedRoots\b/, fields: /^TrustedRootsConfig / },
  // DHCP for IPv6 gives no routes.
  { value: /\bdhcp6\??\.routeMetric\b/, fields: /^DHCPv6Config routeMetric$/ },
  // Only the addresses of servers are written to /etc/resolv.conf.
  {
    value: /\b(?:resolvers|resolverStatus)\??\.nameServers\b/,
    fields: /^ResolverConfig nameservers\[\]\.(?:protocol|tlsServerName)$/,
  },
];

const makers = (...files: string[]) => [
  ...['network/controllers/config-controllers.ts', 'network/controllers/network-controllers.ts'],
  ...['network/controllers/platform-config-apply.ts', ...files],
];

/**
 * Resources that nodes make of fields, and nothing but their makers uses. When a part of machined begins to use one, the
 * fields lose their `notApplied`, and the row goes.
 */
const published: readonly {
  readonly resource: string;
  readonly files: readonly string[];
  readonly fields: RegExp;
}[] = [
  {
    resource: 'environments',
    files: ['services/controllers/environment.ts'],
    fields: /^EnvironmentConfig |^v1alpha1 machine\.env$/,
  },
  {
    resource: 'eventSinkConfigs',
    files: ['life/controllers/event-sink-config.ts'],
    fields: /^EventSinkConfig /,
  },
  {
    resource: 'watchdogTimerConfigs',
    files: ['kernel/controllers/configured-settings.ts'],
    fields: /^WatchdogTimerConfig /,
  },
  {
    resource: 'discoveryConfigs',
    files: ['cluster/controllers/discovery-config.ts'],
    fields:
      /^DiscoveryServiceConfig |^DiscoveryIdentityConfig clusterSecret$|^v1alpha1 cluster\.(?:discovery\.|secret$)/,
  },
  {
    resource: 'hostDnsConfigs',
    files: ['network/controllers/etc-file.ts', 'network/controllers/host-dns-config.ts'],
    fields: /^ResolverConfig hostDNS\.|^v1alpha1 machine\.features\.hostDNS\./,
  },
  { resource: 'probeSpecs', files: makers(), fields: /^(?:HTTP|TCP)ProbeConfig / },
];

/**
 * Resources that only some kinds of nodes act on, and the only files that use them. A maker that is added makes its fields effective on
 * these kinds alone, which nothing else here can see: the fields also belong into the row of `limited`.
 */
const actedOnBySome: readonly { readonly resource: string; readonly files: readonly string[] }[] = [
  {
    resource: 'kernelParamSpecs',
    // The last one leaves alone what the configuration says of advertisements.
    files: [
      ...['kernel/controllers/configured-settings.ts', 'kernel/controllers/kernel-param-spec.ts'],
      'network/controllers/advertisements.ts',
    ],
  },
  {
    resource: 'kernelModuleSpecs',
    files: [
      ...['kernel/controllers/configured-settings.ts', 'kernel/controllers/kernel-module-spec.ts'],
      // Machines alone have links of their own.
      'network/controllers/link-module.ts',
    ],
  },
];

/** Fields that machined reads to leave alone what they ask for, and the line that does so. */
const leftAlone: readonly { readonly fields: RegExp; readonly file: string; readonly line: string }[] = [
  {
    fields: /^EthernetConfig (?:rings\.|channels\.|wakeOnLan$)/,
    file: 'network/controllers/planned-network.ts',
    line: '[metadata.id, spec.features]',
  },
  {
    fields: /^TimeSyncConfig ntp\.useNTS$/,
    file: 'time/domain/askable-servers.ts',
    line: 'return useNTS ? []',
  },
  {
    fields: /^TimeSyncConfig ptp\./,
    file: 'time/domain/askable-servers.ts',
    line: "filter((server) => !server.startsWith('/'))",
  },
  {
    fields: /\bvip\.(?:equinixMetal|hcloud)\.|^HCloudVIPConfig /,
    file: 'network/host/virtual-address-operator.ts',
    line: 'moving it by the API of a cloud is not implemented',
  },
];

const isNode = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Wraps a value so that `read` gets the path of each part that is read. */
function recorded<V>(value: V, path: string, read: Set<string>): V {
  if (!isNode(value)) return value;
  return new Proxy(value, {
    get(target, key) {
      const part: unknown = Reflect.get(target, key);
      if (typeof key === 'symbol' || !Object.hasOwn(target, key)) return part;
      const inside = Array.isArray(target) ? `${path}[]` : path === '' ? key : `${path}.${key}`;
      if (!(Array.isArray(target) && key === 'length')) read.add(inside);
      return recorded(part, inside, read);
    },
  });
}

/** A link that every selector of the examples is compared with. */
const presentLink = {
  name: 'eth0',
  spec: { type: 'ether', kind: '', busPath: '', hardwareAddr: '', permanentAddr: '', pciID: '', driver: '' },
} as PresentLink;

/** Runs the code of machined that reads documents. */
function readAll(reader: ConfigReader): void {
  const entries = reader.legacy.items('machine', 'network', 'interfaces');
  const { devices } = expandEntries(entries, [presentLink]);
  deviceLinks(devices, [presentLink]);
  for (const read of [deviceAddresses, deviceRoutes, deviceOperators, deviceVips]) read(devices);
  for (const read of [linkSpecsOf, addressSpecsOf, routeSpecsOf, routingRuleSpecsOf]) read(reader);
  for (const read of [aliasDocuments, ethernetSpecsOf]) read(reader);
  for (const read of [operatorSpecsOf, vipOperatorSpecsOf, probeSpecsOf, sharedAddressesOf]) read(reader);
  for (const read of [kubernetesIdentity, controlPlaneSettings, kubeletSettings, manifestSettings])
    read(reader);
}

/** Whether a field is read, in a document that has it. */
function isRead(kind: string, path: string): boolean {
  const read = new Set<string>();
  const value = recorded(assembleDocument(kind, fieldsBeside(kind, path)), '', read);
  const controlPlane = {
    kind: legacyKind,
    value: { version: 'v1alpha1', machine: { type: 'controlplane' } },
  };
  const documents = [...(kind === legacyKind ? [] : [controlPlane]), { kind, value }];
  effectiveConfig(documents);
  readAll(new ConfigReader(documents));
  const wanted = path.replaceAll('*', entryName);
  return (
    read.has(wanted) || [...read].some((one) => one.startsWith(`${wanted}[`) || one.startsWith(`${wanted}.`))
  );
}

/** The kinds of nodes that do not act on a field, as the code of machined has it. */
function inertKinds(kind: string, path: string): readonly NodeKind[] {
  const name = `${kind} ${path}`;
  const isLeft = [...unused, ...published, ...leftAlone].some(({ fields }) => fields.test(name));
  if (isLeft || !(readInControllers.includes(name) || isRead(kind, path))) return nodeKinds;
  const acting = limited.find(({ fields }) => fields.test(name))?.on ?? nodeKinds;
  return nodeKinds.filter((each) => !acting.includes(each));
}

const objects = new Set(['obj', 'list', 'map']);

test('the reference says for each kind of node whether it acts on a field, as machined does', () => {
  const wrong: string[] = [];
  for (const kind of documentKinds) {
    const reference = fieldReference(kind);
    for (const { path, field } of fieldPaths(kind)) {
      const name = `${kind} ${path}`;
      if (objects.has(field.type) || informative.includes(name)) continue;
      if (reference.get(path)?.help.startsWith('Ignored')) continue;
      const said = noteOf(reference, path)?.on ?? [];
      const is = inertKinds(kind, path);
      if (said.join() !== is.join())
        wrong.push(
          `${name}: not applied on "${said.join(' ')}", but machined leaves it on "${is.join(' ')}"`,
        );
    }
  }
  assert.deepEqual(wrong, []);
});

test('the inert table is what the reference says', async () => {
  assert.deepEqual(inertTable, await markedInertTable());
});

test('the kinds of nodes are the worlds of machined', () => {
  assert.deepEqual(Object.keys(worlds).toSorted(), nodeKinds.toSorted());
});

test('every protection that machines refuse is one that no node provides, and every kind with encryption is listed', () => {
  const kept = protections.filter(
    ({ kind, path }) =>
      !(inertTable[kind] ?? []).some(
        (row) => row.on.length === nodeKinds.length && (row.path === '' || row.path === path),
      ),
  );
  assert.deepEqual(kept, []);
  const encrypted = documentKinds.filter((kind) =>
    fieldPaths(kind).some(({ path }) => path === 'encryption'),
  );
  assert.deepEqual(
    protections.filter(({ path }) => path === 'encryption').map(({ kind }) => kind),
    encrypted,
  );
});

const source = (file: string) =>
  readFileSync(join(checkout, 'services', 'machined', 'src', file), 'utf8').replace(/\s+/g, ' ');

test('the lines of machined by which kinds of nodes differ are there, each once', () => {
  const missing = [...limited, ...leftAlone].filter(
    ({ file, line }) => source(file).split(line).length !== 2,
  );
  assert.deepEqual(
    missing.map(({ file, line }) => `${file}: ${line}`),
    [],
  );
});

const sources = globSync('{services/machined,packages/*}/src/**/*.ts', { cwd: checkout })
  .filter(
    (file) =>
      !/\.test\.ts$|\/testing\/|^packages\/(?:machine-config|contract|state|node-files\/src\/diff)\//.test(
        file,
      ),
  )
  .map((file) => ({ file, text: readFileSync(join(checkout, file), 'utf8') }));

test('no part of machined, and no package, uses the values that are listed as unused', () => {
  const used = unused.flatMap(({ value }) =>
    sources.filter(({ text }) => value.test(text)).map(({ file }) => `${value}: ${file}`),
  );
  assert.deepEqual(used, []);
});

/** Compares the files that name a resource with those of its row. */
function checkUsers({ resource, files }: { readonly resource: string; readonly files: readonly string[] }) {
  const users = sources.filter(({ text }) => new RegExp(`\\b${resource}\\b`).test(text));
  assert.deepEqual(
    users.map(({ file }) => file.replace('services/machined/src/', '')).sort(),
    [...files].sort(),
    resource,
  );
}

test('only their makers use the resources that are listed as published alone', () => {
  for (const row of published) checkUsers(row);
});

test('what only some kinds of nodes act on is made of the listed fields alone', () => {
  for (const row of actedOnBySome) checkUsers(row);
});
