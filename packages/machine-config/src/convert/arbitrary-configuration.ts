import fc from 'fast-check';
import { base64FromPem } from '../secrets/encode-secrets.ts';
import { generateSecrets } from '../secrets/generate-secrets.ts';
import { seededRandom } from '../secrets/sample-secrets.ts';
import type { YamlMap, YamlValue } from '../yaml/yaml-value.ts';
import { valueAt } from './value-path.ts';

// Generates valid configurations in the old form, for tests of conversions. Any key may be missing.

/** Real keys, because validation looks into them. */
export const realSecrets = await generateSecrets({
  now: new Date('2026-01-02T03:04:05Z'),
  contract: { major: 1, minor: 6 },
  random: seededRandom(7),
});

type Values = fc.Arbitrary<YamlValue>;

const some = (...values: YamlValue[]): Values => fc.constantFrom(...values);
const record = (fields: Record<string, Values>): fc.Arbitrary<YamlMap> =>
  fc.record(fields, { requiredKeys: [] }).map((each) => ({ ...each }));
const list = (item: Values, maxLength = 3): Values => fc.array(item, { maxLength });
const map = (keys: readonly string[], value: Values): Values =>
  fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 3 });

const flag = fc.boolean();
const args = map(
  ['v', 'feature-gates', 'anonymous-auth', 'oidc-issuer-url', 'bind-address', 'node-cidr-mask-size'],
  some('1', 'true', ['a', 'b']),
);
const env = map(['HTTP_PROXY', 'no_proxy', 'A'], some('x', 'http://p.test:3128'));
const resources = record({
  requests: map(['cpu', 'memory'], some('1', '64Mi', 2)),
  limits: map(['cpu'], some('2')),
});
const volumes = fc.option(list(some({ hostPath: '/a', mountPath: '/b', readonly: true }), 1), {
  freq: 4,
  nil: [],
});
const rare = (value: Values): Values =>
  fc.oneof({ weight: 1, arbitrary: value }, { weight: 6, arbitrary: some([]) });
const pair = ({ certificate, key }: { certificate: string; key: string }): YamlMap => ({
  crt: base64FromPem(certificate),
  key: base64FromPem(key),
});
const { certs } = realSecrets;

function component(image: string, more: Record<string, Values> = {}) {
  return record({
    image: some(`${image}:v1.33.1`, ''),
    extraArgs: args,
    env,
    resources,
    extraVolumes: volumes,
    ...more,
  });
}

const webhook = { connectionInfo: { type: 'InClusterConfig' }, timeout: '3s' };
const apiServer = component('registry.k8s.io/kube-apiserver', {
  certSANs: list(some('10.0.0.1', 'api.test')),
  disablePodSecurityPolicy: flag,
  admissionControl: some(
    [],
    [{ name: 'PodSecurity', configuration: { defaults: { enforce: 'baseline' } } }],
    [
      { name: 'B', configuration: { b: 1 } },
      { name: 'A', configuration: { a: [1, 2] } },
    ],
  ),
  auditPolicy: some(
    {},
    { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'None' }, { level: 'Request' }] },
  ),
  authorizationConfig: some(
    [],
    [{ type: 'RBAC', name: 'mine' }],
    [
      { type: 'Webhook', name: 'hook', webhook },
      { type: 'Node', name: 'n' },
    ],
  ),
});

function clusterOf(isControlPlane: boolean): fc.Arbitrary<YamlMap> {
  const ca = pair(certs.kubernetes);
  const ofControlPlane: Record<string, Values> = {
    aescbcEncryptionSecret: some('JaOhFzLnxrhsGGzHDHLqnBWGPPCDYpgFJpjvFAbBJmM='),
    secretboxEncryptionSecret: some('', 'GaOhFzLnxrhsGGzHDHLqnBWGPPCDYpgFJpjvFAbBJmM='),
    aggregatorCA: some(pair(certs.kubernetesAggregator)),
    serviceAccount: some({ key: base64FromPem(certs.kubernetesServiceAccount.key) }),
  };
  return fc
    .tuple(
      record({
        ...(isControlPlane ? ofControlPlane : {}),
        clusterName: some('alpha', ''),
        apiServer,
        controllerManager: component('registry.k8s.io/kube-controller-manager'),
        scheduler: component('registry.k8s.io/kube-scheduler', {
          config: some({}, { profiles: [{ schedulerName: 'a' }] }),
        }),
        proxy: record({
          disabled: flag,
          image: some('', 'registry.k8s.io/kube-proxy:v1.33.1'),
          mode: some('', 'ipvs', 'nftables'),
          extraArgs: args,
        }),
        coreDNS: record({ disabled: flag, image: some('', 'registry.k8s.io/coredns/coredns:v1.12.0') }),
        discovery: record({
          enabled: flag,
          registries: record({
            kubernetes: record({ disabled: some(true, true, false) }),
            service: record({ disabled: some(false, true), endpoint: some('', 'https://d.test/') }),
          }),
        }),
        network: record({
          cni: isControlPlane
            ? fc.oneof(
                some(
                  { name: 'none' },
                  { name: 'custom', urls: ['https://c.test/a.yaml', 'https://c.test/b.yaml'] },
                ),
                record({
                  name: some('flannel'),
                  flannel: record({ extraArgs: some(['--iface=e']), kubeNetworkPoliciesEnabled: flag }),
                }).map((each) => ({ ...each, name: 'flannel' })),
              )
            : some({ name: 'none' }),
          dnsDomain: some('', 'k.test'),
          podSubnets: some([], ['10.42.0.0/16'], ['10.42.0.0/16', 'fd00:42::/56'], ['10.42.0.1/30']),
          serviceSubnets: some([], ['10.43.0.0/16'], ['10.43.0.0/16', 'fd00:43::/112']),
        }),
        extraManifests: list(
          some('https://m.test/A_1.yaml', 'http://m.test/b', 'https://m.test/A-1.yaml?x=1'),
        ),
        extraManifestHeaders: map(['Authorization', 'X-A'], some('secret')),
        inlineManifests: some(
          [],
          [
            { name: 'a', contents: 'kind: A' },
            { name: 'b.c', contents: 'x\ny\n' },
          ],
          [{ name: 'A b', contents: 'x' }],
        ),
        acceptedCAs: some([], [{ crt: base64FromPem(certs.etcd.certificate) }]),
        adminKubeconfig: some({ certLifetime: '1h0m0s' }),
        externalCloudProvider: some(
          { enabled: true, manifests: ['https://cloud.test/a'] },
          { enabled: false },
        ),
        allowSchedulingOnControlPlanes: flag,
        allowSchedulingOnMasters: flag,
        ca: some(isControlPlane ? ca : { ...ca, key: '' }),
      }),
      fc.option(some(6443, 7443, 0)),
    )
    .map(([cluster, port]) => ({
      ...cluster,
      controlPlane: {
        endpoint: 'https://10.5.0.1:6443',
        ...(port === null ? {} : { localAPIServerPort: port }),
      },
      id: realSecrets.cluster.id,
      secret: realSecrets.cluster.secret,
      ...(isControlPlane ? { etcd: { ca: pair(certs.etcd) } } : {}),
    }));
}

const key = fc.oneof(
  some(
    { nodeID: {}, slot: 0 },
    { static: { passphrase: 'secret' }, slot: 1 },
    { kms: { endpoint: 'https://k.test' }, slot: 2 },
  ),
  some({ tpm: { checkSecurebootStatusOnEnroll: true }, slot: 3 }, { tpm: {}, slot: 4 }),
);
const encryption = record({
  cipher: some('aes-xts-plain64'),
  keySize: some(512),
  options: some(['no_read_workqueue']),
}).chain((more) => key.map((each) => ({ ...more, provider: 'luks2', keys: [each] })));

function machineOf(isControlPlane: boolean): fc.Arbitrary<YamlMap> {
  const fields: Record<string, Values> = {
    controlPlane: record({
      controllerManager: record({ disabled: flag }),
      scheduler: record({ disabled: flag }),
    }),
    kubelet: record({
      image: some('', 'ghcr.io/siderolabs/kubelet:v1.33.1'),
      clusterDNS: some([], ['10.96.0.99']),
      extraArgs: args,
      extraMounts: rare(some([{ destination: '/d', type: 'bind', source: '/s', options: ['bind'] }])),
      extraConfig: some({}, { maxPods: 50, nested: { a: [1, 'x', true] } }),
      credentialProviderConfig: some({}, { providers: [{ name: 'ecr' }] }),
      defaultRuntimeSeccompProfileEnabled: flag,
      registerWithFQDN: flag,
      skipNodeRegistration: flag,
      nodeIP: record({ validSubnets: some([], ['10.0.0.0/8', '!10.1.0.0/16']) }),
      disableManifestsDirectory: flag,
    }),
    pods: some([], [{ metadata: { name: 'p' }, spec: { a: 1 } }, { metadata: { name: 'P_2' } }]),
    install: record({
      disk: some('/dev/sda', '/dev/disk/by-id/x', ''),
      diskSelector: record({ model: some('WDC*'), size: some('>= 100GB'), type: some('ssd') }),
      image: some('', 'registry.test/installer:v1'),
      wipe: flag,
      grubUseUKICmdline: some(true, true, false),
      extraKernelArgs: rare(some(['a=b'])),
      legacyBIOSSupport: some(false, false, true),
    }),
    files: rare(some([{ content: 'a', permissions: 0o600, path: '/var/a', op: 'create' }])),
    env,
    time: record({
      disabled: flag,
      servers: some([], ['a.test', 'b.test'], ['/dev/ptp0'], ['a.test', '/dev/ptp0']),
      bootTimeout: some('1m0s'),
    }),
    sysctls: map(['net.ipv4.ip_forward', 'kernel/a', 'b'], some('1', '0')),
    sysfs: map(['devices.a', 'b'], some('1')),
    registries: record({
      mirrors: map(
        ['docker.io', '*', 'r.test:5000'],
        record({
          endpoints: some([], ['https://a.test', 'http://b.test/v2/x']),
          overridePath: flag,
          skipFallback: flag,
        }),
      ),
      config: map(
        ['docker.io', 'r.test:5000'],
        record({
          auth: record({
            username: some('u'),
            password: some('p'),
            auth: some('YTpi'),
            identityToken: some('t'),
          }),
          tls: record({
            ca: some(base64FromPem(certs.etcd.certificate)),
            insecureSkipVerify: flag,
            clientIdentity: some(pair(certs.etcd), pair(certs.os)),
          }),
        }),
      ),
    }),
    systemDiskEncryption: record({ state: encryption, ephemeral: encryption }),
    features: record({
      rbac: flag,
      stableHostname: flag,
      diskQuotaSupport: flag,
      nodeAddressSortAlgorithm: some('v1', 'v2'),
      kubePrism: record({ enabled: flag, port: some(7445, 7000) }),
      hostDNS: some(
        { enabled: true, forwardKubeDNSToHost: true },
        { enabled: true, resolveMemberNames: true },
        { enabled: false },
        {},
      ),
      imageCache: record({ localEnabled: flag }),
      ...(isControlPlane
        ? {
            kubernetesTalosAPIAccess: record({
              enabled: flag,
              allowedRoles: some(['os:reader']),
              allowedKubernetesNamespaces: some(['a']),
            }),
          }
        : {}),
    }),
    udev: record({ rules: some([], ['A=="b"', 'c']) }),
    kernel: record({
      modules: some(
        [],
        [{ name: 'a', parameters: ['x=1'] }, { name: 'b' }],
        [{ name: 'a' }, { name: 'a', parameters: ['y'] }],
      ),
    }),
    logging: some({ destinations: [{ endpoint: 'udp://l.test:514', format: 'json_lines' }] }),
    baseRuntimeSpecOverrides: some({}, { process: { noNewPrivileges: true } }),
    nodeLabels: map(['a', 'b.test/c'], some('', 'x')),
    nodeAnnotations: map(['a', 'b.test/c'], some('', 'x')),
    nodeTaints: map(['a', 'b.test/c'], some('NoSchedule', 'v:NoExecute')),
    network: record({
      hostname: some('', 'n1', 'n1.k.test'),
      nameservers: some([], ['1.1.1.1', '2606:4700::1111'], ['name.test']),
      searchDomains: some([], ['a.test', 'b.test']),
      disableSearchDomain: flag,
      extraHostEntries: some(
        [],
        [{ ip: '10.0.0.1', aliases: ['a', 'b'] }],
        [
          { ip: '10.0.0.1', aliases: ['a'] },
          { ip: '10.0.0.1', aliases: ['b'] },
        ],
      ),
      kubespan: record({
        enabled: flag,
        mtu: some(1400, 0),
        advertiseKubernetesNetworks: flag,
        filters: record({
          endpoints: some(['10.0.0.0/8', '!10.1.0.0/16']),
          excludeAdvertisedNetworks: some(['10.2.0.0/16']),
        }),
      }),
      interfaces: rare(some([{ interface: 'eth0', dhcp: true, addresses: ['10.0.0.2/24'] }])),
    }),
  };
  return record(fields).map((machine) => ({
    ...machine,
    type: isControlPlane ? 'controlplane' : 'worker',
    token: realSecrets.trustd.token,
    ca: isControlPlane ? pair(certs.os) : { ...pair(certs.os), key: '' },
  }));
}

/** A Kubernetes CA with its key needs an encryption of etcd, and KubeSpan needs discovery. */
function usable(machine: YamlMap, cluster: YamlMap): YamlMap {
  const hasKubeSpan = valueAt(machine, ['network', 'kubespan', 'enabled']) === true;
  const secret = realSecrets.secrets.secretboxEncryptionSecret;
  const needsKey = machine.type === 'controlplane' && cluster.aescbcEncryptionSecret === undefined;
  return {
    ...cluster,
    ...(needsKey ? { secretboxEncryptionSecret: secret } : {}),
    ...(hasKubeSpan ? { discovery: { enabled: true, registries: { kubernetes: { disabled: true } } } } : {}),
  };
}

/** The v1alpha1 document of a control plane or a worker. */
export const arbitraryOldForm: fc.Arbitrary<YamlMap> = fc
  .boolean()
  .chain((isControlPlane) => fc.tuple(machineOf(isControlPlane), clusterOf(isControlPlane)))
  .map(([machine, cluster]) => ({ version: 'v1alpha1', machine, cluster: usable(machine, cluster) }));
