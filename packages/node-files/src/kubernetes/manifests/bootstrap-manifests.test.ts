import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byName, flattened, renderedManifests } from '../../testing/rendered-manifests.ts';
import { type ControlPlaneText, controlPlaneText } from '../../testing/rendered-pods.ts';

const manifestsOf = async (config: ControlPlaneText = {}) =>
  byName(renderedManifests(await controlPlaneText(config)));
const document = (kind: string, body: string) => `apiVersion: v1alpha1\nkind: ${kind}\n${body}`;
const absent = 'absent';

test('a generated configuration gives the manifests of every cluster, with these objects', async () => {
  const manifests = await manifestsOf();
  const names = Object.entries(manifests).map(([id, objects]) => [id, Object.keys(objects)]);
  const token = names[0]?.[1]?.[0];
  assert.match(String(token), /^Secret\/bootstrap-token-[a-z0-9]{6}$/);
  assert.deepEqual(names, [
    ['00-kubelet-bootstrapping-token', [token]],
    ['01-csr-approver-role-binding', ['ClusterRoleBinding/system-bootstrap-approve-node-client-csr']],
    ['01-csr-node-bootstrap', ['ClusterRoleBinding/system-bootstrap-node-bootstrapper']],
    ['01-csr-renewal-role-binding', ['ClusterRoleBinding/system-bootstrap-node-renewal']],
    [
      '05-flannel',
      [
        ...['ClusterRole/flannel', 'ClusterRoleBinding/flannel', 'ServiceAccount/flannel'],
        ...['ConfigMap/kube-flannel-cfg', 'DaemonSet/kube-flannel'],
      ],
    ],
    [
      '10-kube-proxy',
      [
        ...['ServiceAccount/kube-proxy', 'ClusterRoleBinding/kube-proxy', 'ConfigMap/kube-proxy'],
        'DaemonSet/kube-proxy',
      ],
    ],
    [
      '11-core-dns',
      [
        ...['ServiceAccount/coredns', 'ClusterRole/system:coredns', 'ClusterRoleBinding/system:coredns'],
        ...['ConfigMap/coredns', 'Deployment/coredns'],
      ],
    ],
    ['11-core-dns-svc', ['Service/kube-dns']],
    ['11-kube-config-in-cluster', ['ConfigMap/kubeconfig-in-cluster']],
    [
      '11-talos-node-rbac-template',
      ['ClusterRole/system:talos-nodes', 'ClusterRoleBinding/system:talos-nodes'],
    ],
  ]);
});

test('the manifests of a generated configuration have the values that upstream documents', async () => {
  const all = flattened(await manifestsOf());
  const proxy = '10-kube-proxy.DaemonSet/kube-proxy.spec.template.spec';
  const flannel = '05-flannel.DaemonSet/kube-flannel.spec.template.spec';
  const net = '05-flannel.ConfigMap/kube-flannel-cfg.data.net-conf.json';
  const dns = '11-core-dns.Deployment/coredns.spec';
  const binding = '01-csr-node-bootstrap.ClusterRoleBinding/system-bootstrap-node-bootstrapper';
  const kubeconfig = '11-kube-config-in-cluster.ConfigMap/kubeconfig-in-cluster.data.kubeconfig';
  const expected = {
    [`${binding}.roleRef.name`]: 'system:node-bootstrapper',
    [`${binding}.subjects.0.name`]: 'system:bootstrappers:nodes',
    [`${binding}.subjects.1.name`]: 'system:nodes',
    [`${proxy}.containers.0.image`]: 'registry.k8s.io/kube-proxy:v1.37.1',
    [`${proxy}.containers.0.command.1`]: '--config=/var/lib/kube-proxy/config.conf',
    [`${proxy}.containers.0.command.2`]: '--hostname-override=$(NODE_NAME)',
    [`${proxy}.containers.0.command.3`]: undefined,
    [`${proxy}.containers.0.securityContext.privileged`]: true,
    [`${proxy}.hostNetwork`]: true,
    '10-kube-proxy.ConfigMap/kube-proxy.data.config.conf.mode': 'nftables',
    '10-kube-proxy.ConfigMap/kube-proxy.data.config.conf.clusterCIDR': '10.244.0.0/16',
    '10-kube-proxy.ConfigMap/kube-proxy.data.config.conf.clientConnection.kubeconfig':
      '/etc/kubernetes/kubeconfig',
    [`${flannel}.containers.0.image`]: 'ghcr.io/siderolabs/flannel:v0.28.9',
    [`${flannel}.containers.0.command.0`]: '/opt/bin/flanneld',
    [`${flannel}.containers.0.args.0`]: '--ip-masq',
    [`${flannel}.containers.0.args.1`]: '--kube-subnet-mgr',
    [`${flannel}.containers.0.env.4.value`]: '127.0.0.1',
    [`${flannel}.containers.0.env.5.value`]: '7445',
    [`${flannel}.containers.0.resources.requests.memory`]: '50Mi',
    [`${net}.Network`]: '10.244.0.0/16',
    [`${net}.Backend.Type`]: 'vxlan',
    [`${net}.Backend.Port`]: 4789,
    [`${net}.Backend.MTU`]: undefined,
    [`${net}.EnableNFTables`]: true,
    [`${net}.EnableIPv6`]: undefined,
    [`${dns}.replicas`]: 2,
    [`${dns}.template.spec.containers.0.image`]: 'registry.k8s.io/coredns/coredns:v1.14.7',
    [`${dns}.template.spec.containers.0.resources.limits.memory`]: '170Mi',
    [`${dns}.template.spec.containers.0.livenessProbe.httpGet.port`]: 8080,
    [`${dns}.template.spec.containers.0.readinessProbe.httpGet.port`]: 8181,
    '11-core-dns-svc.Service/kube-dns.spec.clusterIP': '10.96.0.10',
    '11-core-dns-svc.Service/kube-dns.spec.clusterIPs.0': '10.96.0.10',
    [`${kubeconfig}.clusters.0.cluster.server`]: 'https://127.0.0.1:7445',
    [`${kubeconfig}.users.0.user.tokenFile`]: '/var/run/secrets/kubernetes.io/serviceaccount/token',
    '11-talos-node-rbac-template.ClusterRole/system:talos-nodes.rules.0.resources.0': 'endpointslices',
    '11-talos-node-rbac-template.ClusterRoleBinding/system:talos-nodes.subjects.0.name': 'system:nodes',
  };
  const actual = Object.fromEntries(Object.keys(expected).map((path) => [path, all[path]]));
  assert.deepEqual(actual, expected);
  assert.match(
    String(all['11-core-dns.ConfigMap/coredns.data.Corefile']),
    /kubernetes cluster\.local in-addr\.arpa ip6\.arpa \{\n {8}pods insecure\n {8}ttl 30\n/,
  );
});

test('the bootstrap token is that of the configuration', async () => {
  const text = await controlPlaneText();
  // The first token is that of the machine.
  const [, id = '', secret = ''] =
    [...text.matchAll(/^\s+token: ([a-z0-9]{6})\.([a-z0-9]{16})$/gm)].at(-1) ?? [];
  assert.notEqual(id, '');
  const { data, type } =
    Object.values((await manifestsOf())['00-kubelet-bootstrapping-token'] ?? {})[0] ?? {};
  const plain = Object.entries(data as Record<string, string>).map(([key, value]) => [
    key,
    Buffer.from(value, 'base64').toString(),
  ]);
  assert.equal(type, 'bootstrap.kubernetes.io/token');
  assert.deepEqual(Object.fromEntries(plain), {
    'token-id': id,
    'token-secret': secret,
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': 'system:bootstrappers:nodes',
  });
});

interface Row {
  readonly name: string;
  readonly config: ControlPlaneText;
  /** Ids of manifests that are missing. */
  readonly without?: readonly string[];
  /** What differs from the manifests of a generated configuration of the same form: values by path. */
  readonly differs?: Readonly<Record<string, unknown>>;
}

const patched = (...patches: string[]): ControlPlaneText => ({ patches });
const legacy = (...patches: string[]): ControlPlaneText => ({ minor: 13, patches });
const proxyPod = 'DaemonSet/kube-proxy.spec.template.spec.containers.0';
const flannelPod = 'DaemonSet/kube-flannel.spec.template.spec.containers.0';
const backend = 'ConfigMap/kube-flannel-cfg.data.net-conf.json.Backend';
const proxyFile = 'ConfigMap/kube-proxy.data.config.conf';
/** The annotation that restarts kube-proxy. */
const checksum = 'DaemonSet/kube-proxy.spec.template.metadata.annotations.checksum/config';
const rows: readonly Row[] = [
  { name: 'a generated configuration', config: {} },
  {
    name: 'kube-proxy off',
    config: patched(document('KubeProxyConfig', 'enabled: false')),
    without: ['10-kube-proxy'],
  },
  {
    name: 'kube-proxy off, v1alpha1',
    config: legacy('cluster: { proxy: { disabled: true } }'),
    without: ['10-kube-proxy'],
  },
  {
    name: 'CoreDNS off',
    config: patched(document('KubeCoreDNSConfig', 'enabled: false')),
    without: ['11-core-dns', '11-core-dns-svc'],
  },
  {
    name: 'CoreDNS off, v1alpha1',
    config: legacy('cluster: { coreDNS: { disabled: true } }'),
    without: ['11-core-dns', '11-core-dns-svc'],
  },
  {
    name: 'another image of CoreDNS',
    config: patched(document('KubeCoreDNSConfig', 'image: dns:v1')),
    differs: { 'Deployment/coredns.spec.template.spec.containers.0.image': 'dns:v1' },
  },
  {
    name: 'another mode, image and flag of kube-proxy',
    config: patched(
      document('KubeProxyConfig', 'mode: iptables\nimage: proxy:v1.37.2\nextraArgs: { v: "4" }'),
    ),
    differs: {
      [`${proxyPod}.image`]: 'proxy:v1.37.2',
      [`${proxyPod}.command.3`]: '--v=4',
      [`${proxyFile}.mode`]: 'iptables',
      [checksum]: 'changes',
    },
  },
  {
    name: 'fields of KubeProxyConfiguration, which cannot move the kubeconfig',
    config: patched(
      document(
        'KubeProxyConfig',
        'config: { conntrack: { min: 9 }, clientConnection: { qps: 5, kubeconfig: /x }, bindAddress: "::" }',
      ),
    ),
    differs: {
      [`${proxyFile}.conntrack.min`]: 9,
      [`${proxyFile}.clientConnection.qps`]: 5,
      [`${proxyFile}.bindAddress`]: '::',
      [checksum]: 'changes',
    },
  },
  {
    name: 'resources of kube-proxy',
    config: patched(
      document('KubeProxyConfig', 'resources: { requests: { cpu: 1 }, limits: { memory: 1Gi } }'),
    ),
    differs: {
      [`${proxyPod}.resources.requests.cpu`]: '1',
      [`${proxyPod}.resources.limits`]: absent,
      [`${proxyPod}.resources.limits.memory`]: '1Gi',
    },
  },
  {
    name: 'mode and flags of kube-proxy, v1alpha1',
    config: legacy('cluster: { proxy: { mode: ipvs, extraArgs: { v: "2" } } }'),
    differs: {
      [`${proxyPod}.command.5`]: '--proxy-mode=ipvs',
      [`${proxyPod}.command.6`]: '--v=2',
    },
  },
  {
    name: 'settings of flannel',
    config: patched(
      document(
        'KubeFlannelCNIConfig',
        'backendType: wireguard\nbackendPort: 51820\nbackendMTU: 1400\nbackendExtraConfig: { PSK: x }\nextraArgs: [--v=3]',
      ),
    ),
    differs: {
      [`${backend}.Type`]: 'wireguard',
      [`${backend}.Port`]: 51820,
      [`${backend}.MTU`]: 1400,
      [`${backend}.PSK`]: 'x',
      [`${flannelPod}.args.2`]: '--v=3',
    },
  },
  {
    name: 'no network plug-in',
    config: patched('apiVersion: v1alpha1\nkind: KubeFlannelCNIConfig\n$patch: delete'),
    without: ['05-flannel'],
  },
  {
    name: 'no network plug-in, v1alpha1',
    config: legacy('cluster: { network: { cni: { name: none } } }'),
    without: ['05-flannel'],
  },
  {
    name: 'another network plug-in, v1alpha1',
    config: legacy(
      'cluster: { network: { cni: { name: custom, urls: ["https://cni.example.org/a.yaml"] } } }',
    ),
    without: ['05-flannel'],
  },
  {
    name: 'no KubePrism',
    config: patched('apiVersion: v1alpha1\nkind: KubePrismConfig\n$patch: delete'),
    differs: {
      [`${flannelPod}.env.4.name`]: absent,
      [`${flannelPod}.env.4.value`]: absent,
      [`${flannelPod}.env.5.name`]: absent,
      [`${flannelPod}.env.5.value`]: absent,
      'ConfigMap/kubeconfig-in-cluster.data.kubeconfig.clusters.0.cluster.server': 'https://10.5.0.1:6443',
    },
  },
  {
    name: 'another domain and other subnets',
    config: patched(
      document(
        'KubeNetworkConfig',
        'dnsDomain: lab.example\npodSubnets: [10.32.0.0/16]\nserviceSubnets: [10.112.0.0/16]',
      ),
    ),
    differs: {
      [`${proxyFile}.clusterCIDR`]: '10.32.0.0/16',
      [checksum]: 'changes',
      'ConfigMap/kube-flannel-cfg.data.net-conf.json.Network': '10.32.0.0/16',
      'Service/kube-dns.spec.clusterIP': '10.112.0.10',
      'Service/kube-dns.spec.clusterIPs.0': '10.112.0.10',
      'ConfigMap/coredns.data.Corefile': 'changes',
    },
  },
  {
    name: 'two families of addresses',
    config: { ipFamilies: ['ipv4', 'ipv6'] },
    differs: {
      [`${proxyFile}.clusterCIDR`]: '10.244.0.0/16,fc00:db8:10::/56',
      [checksum]: 'changes',
      'ConfigMap/kube-flannel-cfg.data.net-conf.json.IPv6Network': 'fc00:db8:10::/56',
      'ConfigMap/kube-flannel-cfg.data.net-conf.json.EnableIPv6': true,
      'Service/kube-dns.spec.clusterIPs.1': 'fc00:db8:20::a',
      'Service/kube-dns.spec.ipFamilies.1': 'IPv6',
      'Service/kube-dns.spec.ipFamilyPolicy': 'RequireDualStack',
    },
  },
  {
    name: 'IPv6 alone',
    config: { ipFamilies: ['ipv6'] },
    differs: {
      [`${proxyFile}.clusterCIDR`]: 'fc00:db8:10::/56',
      [checksum]: 'changes',
      'ConfigMap/kube-flannel-cfg.data.net-conf.json.Network': absent,
      'ConfigMap/kube-flannel-cfg.data.net-conf.json.EnableIPv4': false,
      'ConfigMap/kube-flannel-cfg.data.net-conf.json.IPv6Network': 'fc00:db8:10::/56',
      'ConfigMap/kube-flannel-cfg.data.net-conf.json.EnableIPv6': true,
      'Service/kube-dns.spec.clusterIP': 'fc00:db8:20::a',
      'Service/kube-dns.spec.clusterIPs.0': 'fc00:db8:20::a',
      'Service/kube-dns.spec.ipFamilies.0': 'IPv6',
    },
  },
];

for (const { name, config, without = [], differs = {} } of rows) {
  test(`manifests: ${name}`, async () => {
    const form = config.minor === undefined ? {} : { minor: config.minor };
    const [base, manifests] = [await manifestsOf(form), await manifestsOf(config)];
    const missing = Object.keys(base).filter((id) => !(id in manifests));
    assert.deepEqual(missing, without);
    const changed = new Map<string, unknown>();
    for (const [id, objects] of Object.entries(base)) {
      if (missing.includes(id)) continue;
      const [before, after] = [flattened(objects), flattened(manifests[id])];
      for (const path of new Set([...Object.keys(before), ...Object.keys(after)]))
        if (JSON.stringify(before[path]) !== JSON.stringify(after[path]))
          changed.set(path, path in after ? after[path] : absent);
    }
    const expected = Object.entries(differs).map(([path, value]) => {
      assert.ok(changed.has(path), path);
      return [path, value === 'changes' ? changed.get(path) : value];
    });
    assert.deepEqual(Object.fromEntries(changed), Object.fromEntries(expected));
  });
}

test('v1alpha1 configures kube-proxy by flags alone', async () => {
  const objects = (await manifestsOf({ minor: 13 }))['10-kube-proxy'] ?? {};
  assert.deepEqual(Object.keys(objects), [
    ...['ServiceAccount/kube-proxy', 'ClusterRoleBinding/kube-proxy', 'DaemonSet/kube-proxy'],
  ]);
  const all = flattened(objects);
  const command = Array.from({ length: 7 }, (_, index) => all[`${proxyPod}.command.${index}`]);
  assert.deepEqual(command, [
    ...['/usr/local/bin/kube-proxy', '--cluster-cidr=10.244.0.0/16', '--conntrack-max-per-core=0'],
    ...['--hostname-override=$(NODE_NAME)', '--kubeconfig=/etc/kubernetes/kubeconfig'],
    ...['--proxy-mode=iptables', undefined],
  ]);
  assert.equal(checksum in all, false);
});

test('manifests of the user keep their order, with those of a cloud provider first', async () => {
  const { extra } = renderedManifests(
    await controlPlaneText({
      patches: [
        'cluster: { externalCloudProvider: { enabled: true, manifests: ["https://cloud.example.org/a.yaml"] } }',
        'cluster: { extraManifests: ["https://a.example.org/b.yaml"], extraManifestHeaders: { X-Key: k } }',
        'cluster: { inlineManifests: [{ name: c, contents: "a: 1" }] }',
        document(
          'KubeExternalManifestConfig',
          'name: d\nurl: https://d.example.org/d.yaml\nheaders: { A: b }',
        ),
        document('KubeInlineManifestConfig', 'name: e\nmanifest: "b: 2"'),
      ],
    }),
  );
  const row = (priority: string, name: string, url: string, extraHeaders: object, inlineManifest = '') => ({
    ...{ name, url, extraHeaders, inlineManifest, priority },
  });
  assert.deepEqual(extra, [
    row('30', 'https://cloud.example.org/a.yaml', 'https://cloud.example.org/a.yaml', {}),
    row('99', 'https://a.example.org/b.yaml', 'https://a.example.org/b.yaml', { 'X-Key': 'k' }),
    row('99', 'd', 'https://d.example.org/d.yaml', { A: 'b' }),
    row('99', 'c', '', {}, 'a: 1'),
    row('99', 'e', '', {}, 'b: 2'),
  ]);
});

test('a custom network plug-in is a manifest like those of the user', async () => {
  const url = 'https://cni.example.org/a.yaml';
  const patch = `cluster: { network: { cni: { name: custom, urls: ["${url}"] } } }`;
  const { extra } = renderedManifests(await controlPlaneText(legacy(patch)));
  assert.deepEqual(
    extra.map(({ url: own, priority }) => [own, priority]),
    [[url, '99']],
  );
});

test('a worker has no manifests', async () => {
  const text = 'version: v1alpha1\nmachine: { type: worker }\ncluster: {}\n';
  assert.deepEqual(renderedManifests(text), { manifests: [], extra: [] });
});
