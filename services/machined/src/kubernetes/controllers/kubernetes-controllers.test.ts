import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import type { Controller } from '@nodewright/controllers';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { convertConfigurationText, generateSecrets, loadConfiguration } from '@nodewright/machine-config';
import { diffByMeaning } from '@nodewright/node-files';
import { controlPlaneText } from '@nodewright/node-files/testing';
import { parseCertificate } from '@nodewright/pki';
import { type KindRef, MemoryState, pointerTo, putResource } from '@nodewright/state';
import {
  apiServerConfigs,
  blockMountStatuses,
  certSans,
  configStatuses,
  etcdRootSecrets,
  etcdSecrets,
  hostnameStatuses,
  kubernetesDynamicCerts,
  kubernetesRootSecrets,
  kubernetesSecrets,
  machineConfigs,
  networkStatuses,
  nodeAddresses,
  nodenames,
  secretStatuses,
  services,
  staticPodStatuses,
  staticPods,
  timeStatuses,
} from '@nodewright/state/kinds';
import { parse } from 'yaml';
import type { ComponentFiles } from '../domain/component-files.ts';
import { podSettings } from '../domain/pod-settings.ts';
import { secretsVersion } from '../domain/secrets-version.ts';
import { PodGrant } from '../host/pod-grant.ts';
import { PodProblems } from '../host/pod-problems.ts';
import type { ReplaceInTurn } from '../host/pod-service.ts';
import { ServerContainer } from '../host/server-container.ts';
import { createMemoryBalancer } from '../testing/memory-balancer.ts';
import { kubernetesControllers } from './kubernetes-controllers.ts';
import { createPodTurnController } from './pod-turn.ts';
import type { StaticPodGates } from './static-pods.ts';

const hour = 3_600_000;
const pair = (name: string) => ({ crt: `${name} certificate\n`, key: `${name} key\n` });

const nodename = nodenames.codec.fromProto(new Uint8Array());
const logMount = {
  ...blockMountStatuses.codec.fromProto(new Uint8Array()),
  target: '/var/log',
};

/** A node of processes, whose other controllers have written everything but its configuration and the health of etcd. */
async function openNode({
  gates,
  more = [],
  hasLogs = true,
}: {
  gates?: StaticPodGates;
  more?: readonly Controller[];
  hasLogs?: boolean;
} = {}) {
  const written: { secrets: ComponentFiles; configs: ComponentFiles } = { secrets: {}, configs: {} };
  const store = (kind: keyof typeof written) => ({
    async write(files: ComponentFiles) {
      written[kind] = files;
    },
  });
  const problems = new PodProblems();
  const runtime = openTestRuntime({
    nowMs: Date.now(),
    controllers: [
      ...more,
      ...kubernetesControllers({
        ownAddress: '127.5.0.2',
        openKubePrism: createMemoryBalancer,
        manifests: {
          loadManifest: async () => [],
          applyInTurn: async () => 'no cluster',
        },
        pods: {
          secrets: store('secrets'),
          configs: store('configs'),
          root: '/state/node01',
          gates,
          processes: { address: '127.5.0.2', problems },
        },
      }),
    ],
  });
  const { state } = runtime;
  const put = async <S>(kind: KindRef<S>, id: string, spec: NoInfer<S>) => {
    await putResource(state, { ...pointerTo(kind, id), spec });
    await runtime.settled();
  };
  await put(timeStatuses, 'node', { synced: true, epoch: 0, syncDisabled: false });
  await put(networkStatuses, 'status', {
    ...{ addressReady: true, connectivityReady: true, hostnameReady: true, etcFilesReady: true },
  });
  await put(hostnameStatuses, 'hostname', { hostname: 'node01', domainname: '' });
  if (hasLogs) await put(blockMountStatuses, 'LOG', logMount);
  await put(nodeAddresses, 'accumulative-no-k8s', { addresses: ['127.5.0.2/32'], sortAlgorithm: 'v1' });
  await put(etcdRootSecrets, 'etcd', { etcdCA: pair('etcd CA') });
  const etcd = {
    etcd: pair('etcd'),
    etcdPeer: pair('peer'),
    etcdAdmin: pair('admin'),
    etcdAPIServer: pair('API server'),
  };
  await put(etcdSecrets, 'etcd', etcd);
  const find = async <S>(kind: KindRef<S>, id: string) =>
    (await state.list(kind)).find(({ metadata }) => metadata.id === id);
  return {
    runtime,
    problems,
    put,
    configure: (text: string) => put(machineConfigs, 'v1alpha1', text),
    service: (id: string, healthy = true) => put(services, id, { running: true, healthy, unknown: false }),
    ids: async (kind: KindRef) => (await state.list(kind)).map(({ metadata }) => metadata.id).sort(),
    async spec<S>(kind: KindRef<S>, id: string): Promise<S> {
      const found = await find(kind, id);
      assert.ok(found !== undefined, `${kind.type} ${id} is missing`);
      return found.spec;
    },
    secrets: () => written.secrets,
    configs: () => written.configs,
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}

const facts = (pem: string) => {
  const { subject, dnsNames, ipAddresses, extendedKeyUsage, notBefore, notAfter } = parseCertificate(pem);
  const hours = Math.floor((notAfter.getTime() - notBefore.getTime()) / hour);
  return { ...subject, dnsNames, ipAddresses, extendedKeyUsage, hours };
};

test('secrets are written once the volume of the audit log is mounted', async () => {
  await using node = await openNode({ hasLogs: false });
  await node.configure(await controlPlaneText());
  assert.deepEqual([Object.keys(node.secrets()), await node.ids(secretStatuses)], [[], []]);
  await node.put(blockMountStatuses, 'LOG', logMount);
  assert.ok(Object.keys(node.secrets()).includes('kube-apiserver'));
  assert.deepEqual(await node.ids(secretStatuses), ['static-pods']);
});

test('a control plane issues the certificates of Kubernetes from the CAs of its configuration', async () => {
  await using node = await openNode();
  await node.configure(await controlPlaneText());
  const { apiServer, apiServerKubeletClient, frontProxy } = await node.spec(
    kubernetesDynamicCerts,
    'k8s-dynamic-certs',
  );
  const client = { dnsNames: [], ipAddresses: [], extendedKeyUsage: ['clientAuth'], hours: 8760 };
  const { ips, dnsNames } = await node.spec(certSans, 'k8s');
  assert.deepEqual(facts(apiServer?.crt ?? ''), {
    ...{ commonName: 'kube-apiserver', organizations: ['kube-master'], dnsNames, ipAddresses: ips },
    ...{ extendedKeyUsage: ['serverAuth'], hours: 8760 },
  });
  assert.ok(ips.includes('127.5.0.2') && dnsNames.includes('node01'));
  assert.deepEqual(
    [facts(apiServerKubeletClient?.crt ?? ''), facts(frontProxy?.crt ?? '')],
    [
      { ...client, commonName: 'apiserver-kubelet-client', organizations: ['system:masters'] },
      { ...client, commonName: 'front-proxy-client', organizations: [] },
    ],
  );
  const root = await node.spec(kubernetesRootSecrets, 'k8s');
  const isFrom = (crt: string | undefined, ca: string | undefined) =>
    new X509Certificate(crt ?? '').verify(new X509Certificate(ca ?? '').publicKey);
  assert.ok(isFrom(apiServer?.crt, root.issuingCA?.crt));
  assert.ok(isFrom(frontProxy?.crt, root.aggregatorCA?.crt));
  // The file of the server has its CA behind it.
  assert.ok(apiServer?.crt.endsWith(root.issuingCA?.crt ?? '-'));
});

test('the kubeconfigs of a control plane name the server that their users reach', async () => {
  await using node = await openNode();
  await node.configure(await controlPlaneText());
  const spec = await node.spec(kubernetesSecrets, 'k8s-certs');
  const read = (text: string) => {
    const { clusters, users } = parse(text);
    const certificate = Buffer.from(users[0].user['client-certificate-data'], 'base64').toString();
    const { commonName, organizations } = facts(certificate);
    return [clusters[0].cluster.server, commonName, organizations];
  };
  assert.deepEqual(
    [
      read(spec.controllerManagerKubeconfig),
      read(spec.schedulerKubeconfig),
      read(spec.localhostAdminKubeconfig),
      read(spec.adminKubeconfig),
    ],
    [
      ['https://127.5.0.2:7445', 'system:kube-controller-manager', ['system:kube-controller-manager']],
      ['https://127.5.0.2:7445', 'system:kube-scheduler', ['system:kube-scheduler']],
      ['https://127.5.0.2:7445', 'talos:admin', ['system:masters']],
      ['https://10.5.0.1:6443', 'talos:admin', ['system:masters']],
    ],
  );
});

test('certificates are renewed after half of their year, and when a name is added', async () => {
  await using node = await openNode();
  await node.configure(await controlPlaneText());
  const serving = async () => (await node.spec(kubernetesDynamicCerts, 'k8s-dynamic-certs')).apiServer?.crt;
  const scheduler = async () => (await node.spec(kubernetesSecrets, 'k8s-certs')).schedulerKubeconfig;
  const first = [await serving(), await scheduler()];
  await node.runtime.advance((8760 / 2 - 1) * hour);
  assert.deepEqual([await serving(), await scheduler()], first);
  await node.runtime.advance(2 * hour);
  const second = [await serving(), await scheduler()];
  assert.ok(second[0] !== first[0] && second[1] !== first[1]);
  const addresses = ['127.5.0.2/32', '10.9.9.9/24'];
  await node.put(nodeAddresses, 'accumulative-no-k8s', { addresses, sortAlgorithm: 'v1' });
  assert.ok(facts((await serving()) ?? '').ipAddresses.includes('10.9.9.9'));
  assert.equal(await scheduler(), second[1]);
});

test('no certificate is issued while the clock is not synchronised', async () => {
  await using node = await openNode();
  await node.put(timeStatuses, 'node', { synced: false, epoch: 0, syncDisabled: false });
  await node.configure(await controlPlaneText());
  assert.deepEqual([await node.ids(kubernetesDynamicCerts), await node.ids(kubernetesSecrets)], [[], []]);
});

test('files hold what the components read, and the statuses say that they are written', async () => {
  await using node = await openNode();
  await node.configure(await controlPlaneText());
  const root = await node.spec(kubernetesRootSecrets, 'k8s');
  const names = (files: ComponentFiles) =>
    Object.fromEntries(
      Object.entries(files).map(([component, texts]) => [component, Object.keys(texts).sort()]),
    );
  assert.deepEqual(names(node.secrets()), {
    'kube-apiserver': [
      ...['aggregator-ca.crt', 'apiserver-kubelet-client.crt', 'apiserver-kubelet-client.key'],
      ...['apiserver.crt', 'apiserver.key', 'ca.crt', 'encryptionconfig.yaml', 'etcd-client-ca.crt'],
      ...['etcd-client.crt', 'etcd-client.key', 'front-proxy-client.crt', 'front-proxy-client.key'],
      ...['service-account.key', 'service-account.pub'],
    ],
    'kube-controller-manager': ['ca.crt', 'ca.key', 'kubeconfig', 'service-account.key'],
    'kube-scheduler': ['kubeconfig'],
  });
  assert.deepEqual(names(node.configs()), {
    'kube-apiserver': [
      ...['admission-control-config.yaml', 'auditpolicy.yaml', 'authentication-config.yaml'],
      'authorization-config.yaml',
    ],
    'kube-scheduler': ['scheduler-config.yaml'],
  });
  const api = node.secrets()['kube-apiserver'] ?? {};
  assert.equal(api['ca.crt'], root.issuingCA?.crt);
  assert.equal(
    api['service-account.pub'],
    createPublicKey(root.serviceAccount?.key ?? '').export({ type: 'spki', format: 'pem' }),
  );
  assert.equal(api['etcd-client.key'], 'API server key\n');
  const config = (name: string) => parse(node.configs()['kube-apiserver']?.[name] ?? '');
  assert.deepEqual(config('authorization-config.yaml'), {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthorizationConfiguration',
    authorizers: [
      { type: 'Node', name: 'node' },
      { type: 'RBAC', name: 'rbac' },
    ],
  });
  assert.deepEqual(config('auditpolicy.yaml').rules, [{ level: 'Metadata' }]);
  assert.equal(config('admission-control-config.yaml').plugins[0].name, 'PodSecurity');
  assert.equal(
    parse(node.configs()['kube-scheduler']?.['scheduler-config.yaml'] ?? '').clientConnection.kubeconfig,
    '/state/node01/system/secrets/kubernetes/kube-scheduler/kubeconfig',
  );
  const { version } = await node.spec(secretStatuses, 'static-pods');
  assert.equal(version, secretsVersion(node.secrets()));
  assert.equal((await node.spec(configStatuses, 'static-pods')).ready, true);
});

test('static pods appear when etcd is healthy, and stay when it no longer is', async () => {
  await using node = await openNode();
  await node.configure(await controlPlaneText());
  assert.deepEqual(await node.ids(staticPods), []);
  await node.service('etcd', false);
  assert.deepEqual(await node.ids(staticPods), []);
  await node.service('etcd');
  const all = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
  assert.deepEqual(await node.ids(staticPods), all);
  await node.service('etcd', false);
  assert.deepEqual(await node.ids(staticPods), all);
});

test('a change of the configuration changes the annotations of the pods that it concerns', async () => {
  await using node = await openNode();
  await node.service('etcd');
  await node.configure(await controlPlaneText());
  const annotations = async (id: string) => {
    const { metadata } = (await node.spec(staticPods, id)).pod;
    return (metadata as { annotations: Record<string, string> }).annotations;
  };
  const before = await Promise.all(['kube-apiserver', 'kube-scheduler'].map(annotations));
  const patch = 'apiVersion: v1alpha1\nkind: KubeAPIServerConfig\nextraArgs: { v: "2" }';
  await node.configure(await controlPlaneText({ patches: [patch] }));
  const [apiServer, scheduler] = await Promise.all(['kube-apiserver', 'kube-scheduler'].map(annotations));
  assert.notDeepEqual(apiServer, before[0]);
  assert.deepEqual(scheduler, before[1]);
});

test('a configuration file that changes replaces the component that reads it, and no other', async () => {
  await using node = await openNode();
  await node.service('etcd');
  await node.configure(await controlPlaneText({ minor: 13 }));
  const components = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
  const pods = () => Promise.all(components.map(async (id) => (await node.spec(staticPods, id)).pod));
  const audit = '{ apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{ level: None }] }';
  for (const [patch, reader] of [
    [`apiServer: { auditPolicy: ${audit} }`, 'kube-apiserver'],
    ['scheduler: { config: { profiles: [{ schedulerName: a }] } }', 'kube-scheduler'],
    // The files of the scheduler do not follow from its flags.
    ['scheduler: { extraArgs: { v: "4" } }', 'kube-scheduler'],
  ] as const) {
    const before = await pods();
    await node.configure(await controlPlaneText({ minor: 13, patches: [`cluster: { ${patch} }`] }));
    const after = await pods();
    const replaced = components.filter(
      (_, at) => podSettings(before[at] ?? {}) !== podSettings(after[at] ?? {}),
    );
    assert.deepEqual(replaced, [reader], patch);
    await node.configure(await controlPlaneText({ minor: 13 }));
  }
});

test('a change of the encryption in etcd alone replaces the API server, and no other component', async () => {
  await using node = await openNode();
  await node.service('etcd');
  await node.configure(await controlPlaneText());
  const pods = () =>
    Promise.all(
      ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map((id) => node.spec(staticPods, id)),
    );
  const before = await pods();
  const patch =
    'apiVersion: v1alpha1\nkind: KubeEtcdEncryptionConfig\nconfig: { resources: [{ resources: [secrets], providers: [{ identity: {} }] }] }';
  await node.configure(await controlPlaneText({ patches: [patch] }));
  assert.match(node.secrets()['kube-apiserver']?.['encryptionconfig.yaml'] ?? '', /identity/);
  const after = await pods();
  assert.notDeepEqual(after[0], before[0]);
  assert.deepEqual(after.slice(1), before.slice(1));
});

test('a key of service accounts that is accepted from now on replaces the API server, and no other component', async () => {
  await using node = await openNode();
  await node.service('etcd');
  await node.configure(await controlPlaneText());
  const pods = () =>
    Promise.all(
      ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map((id) => node.spec(staticPods, id)),
    );
  const before = await pods();
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const key = pem.trimEnd().replaceAll('\n', '\n      ');
  const patch = `apiVersion: v1alpha1\nkind: KubeServiceAccountConfig\naccepted:\n  publicKeys:\n    - |\n      ${key}`;
  await node.configure(await controlPlaneText({ patches: [patch] }));
  assert.ok(node.secrets()['kube-apiserver']?.['service-account.pub']?.endsWith(pem));
  const after = await pods();
  assert.notDeepEqual(after[0], before[0]);
  assert.deepEqual(after.slice(1), before.slice(1));
});

test('diffByMeaning() names the components that the controllers of a node replace', async () => {
  const { certs } = await generateSecrets({ now: new Date(0) });
  const base64 = (pem: string) => Buffer.from(pem).toString('base64');
  const authority = ({ certificate, key }: { readonly certificate: string; readonly key: string }) =>
    `{ crt: ${base64(certificate)}, key: ${base64(key)} }`;
  const audit = '{ apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{ level: None }] }';
  const admission = '{ apiVersion: v1, kind: PodSecurityConfiguration, exemptions: { users: [a] } }';
  const patches = [
    `serviceAccount: { key: ${base64(certs.kubernetesServiceAccount.key)} }`,
    `ca: ${authority(certs.kubernetes)}`,
    `acceptedCAs: [{ crt: ${base64(certs.kubernetes.certificate)} }]`,
    `aggregatorCA: ${authority(certs.kubernetesAggregator)}`,
    'token: abcdef.0123456789abcdef',
    `secretboxEncryptionSecret: ${Buffer.alloc(32).toString('base64')}`,
    'adminKubeconfig: { certLifetime: 2h }',
    'apiServer: { certSANs: [a.test] }',
    'apiServer: { extraArgs: { v: "4" } }',
    `apiServer: { auditPolicy: ${audit} }`,
    `apiServer: { admissionControl: [{ name: PodSecurity, configuration: ${admission} }] }`,
    'apiServer: { authorizationConfig: [{ type: Webhook, name: hook, webhook: { timeout: 3s } }] }',
    'controllerManager: { extraArgs: { v: "4" } }',
    'scheduler: { extraArgs: { v: "4" } }',
    'scheduler: { image: "registry.test/kube-scheduler:v1.37.1" }',
    'scheduler: { config: { profiles: [{ schedulerName: a }] } }',
  ];
  const components = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
  const textWith = (...more: string[]) => controlPlaneText({ minor: 13, patches: more });
  await using node = await openNode();
  await node.service('etcd');
  const appliedOf = async (text: string) => {
    await node.configure(text);
    const pods = await Promise.all(components.map((id) => node.spec(staticPods, id)));
    const settings = pods.map(({ pod }) => podSettings(pod));
    return { configuration: loadConfiguration(text), settings };
  };
  const base = await textWith();
  const texts = await Promise.all(patches.map((patch) => textWith(`cluster: { ${patch} }`)));
  for (const [at, text] of [...texts, convertConfigurationText(base).text].entries()) {
    const before = await appliedOf(base);
    const after = await appliedOf(text);
    const restarted = components.filter((_, index) => before.settings[index] !== after.settings[index]);
    const { restarts, changes } = diffByMeaning(before.configuration, after.configuration);
    const label = `${patches[at] ?? 'the other form'}: ${changes.map(({ name }) => name).join(' ')}`;
    assert.ok(changes.length > 0, label);
    const named = restarts.filter((name) => components.includes(name));
    assert.deepEqual(named, restarted, label);
  }
});

test('the status of a pod says why it is not replaced, or why its replacement failed', async () => {
  await using node = await openNode();
  await node.service('etcd');
  await node.configure(await controlPlaneText());
  await node.service('kube-apiserver');
  const conditions = async () => {
    const { podStatus } = await node.spec(staticPodStatuses, 'kube-system/kube-apiserver-node01');
    return (podStatus.conditions as Record<string, string>[]).slice(3);
  };
  const settings = podSettings((await node.spec(staticPods, 'kube-apiserver')).pod);
  node.problems.report('kube-apiserver', settings, { kind: 'waits', reason: 'node02 is not ready' });
  await node.runtime.settled();
  assert.deepEqual(await conditions(), [
    { type: 'Ready', status: 'True' },
    {
      ...{ type: 'nodewright.dev/UpToDate', status: 'False' },
      ...{ reason: 'WaitsForOthers', message: 'node02 is not ready' },
    },
  ]);
  node.problems.report('kube-apiserver', settings, { kind: 'failed', reason: 'not ready after 120 s' });
  await node.service('kube-apiserver', false);
  assert.deepEqual(await conditions(), [
    { type: 'Ready', status: 'False', reason: 'ReplacementFailed', message: 'not ready after 120 s' },
  ]);
  await node.service('kube-apiserver');
  assert.deepEqual(await conditions(), [{ type: 'Ready', status: 'True' }]);
  // A reason of settings that are no longer wanted does not count.
  node.problems.report('kube-apiserver', 'others', { kind: 'waits', reason: 'node02 is not ready' });
  await node.runtime.settled();
  assert.deepEqual(await conditions(), [{ type: 'Ready', status: 'True' }]);
});

test('a kubelet is given another pod of the API server when it is its turn, and other pods at once', async () => {
  const grant = new PodGrant();
  const problems = new PodProblems();
  const healthy = async () => ({ healthy: true }) as const;
  let answer = 'another control plane replaces its kube-apiserver';
  const replaceInTurn: ReplaceInTurn = async ({ report, replace }, { isNeeded }) => {
    if (!(await isNeeded())) return undefined;
    if (answer === '') await replace();
    else report({ kind: 'waits', reason: answer });
    return answer === '' ? undefined : { reason: answer, retryAfterMs: 5_000 };
  };
  const container = {
    observe: async () => 'a',
    obstacle: async () => undefined,
    isUnreported: async () => false,
    checkSuccessor: async () => healthy,
  };
  const turn = createPodTurnController({ grant, problems, replaceInTurn, container, checkOwn: healthy });
  await using node = await openNode({ gates: { grant, isServerReady: async () => true }, more: [turn] });
  await turn.begin(new AbortController().signal);
  await node.service('etcd');
  await node.configure(await controlPlaneText());
  const pod = async (id: string) => JSON.stringify((await node.spec(staticPods, id)).pod);
  const first = await pod('kube-apiserver');
  await node.runtime.advance(1_000);
  const patches = (flag: string) => [
    `apiVersion: v1alpha1\nkind: KubeAPIServerConfig\nextraArgs: { goaway-chance: "${flag}" }`,
    `apiVersion: v1alpha1\nkind: KubeSchedulerConfig\nextraArgs: { v: "4" }`,
  ];
  await node.configure(await controlPlaneText({ patches: patches('0.01') }));
  assert.equal(await pod('kube-apiserver'), first);
  assert.match(await pod('kube-scheduler'), /--v=4/);
  assert.equal(problems.of('kube-apiserver', podSettings(JSON.parse(first)))?.reason, answer);
  await node.configure(await controlPlaneText({ patches: patches('0.02') }));
  answer = '';
  await node.runtime.advance(5_000);
  assert.match(await pod('kube-apiserver'), /--goaway-chance=0\.02/);
});

test('the container that runs before a kubelet restarts is not taken for its successor', async () => {
  const grant = new PodGrant();
  const problems = new PodProblems();
  const state = new MemoryState({ now: () => 0, cookie: Buffer.alloc(8) });
  const results: boolean[] = [];
  const report = async (containerID: string | undefined) => {
    const pod = pointerTo(staticPodStatuses, 'kube-system/kube-apiserver-node01');
    if (containerID === undefined) await state.destroy(pod);
    else await putResource(state, { ...pod, spec: { podStatus: { containerStatuses: [{ containerID }] } } });
  };
  const replaceInTurn: ReplaceInTurn = async ({ checkOwn, replace }) => {
    await replace();
    for (const container of [undefined, 'old', 'new']) {
      if (container !== undefined) await report(container);
      results.push((await checkOwn(1_000)).healthy);
    }
    return undefined;
  };
  await state.create({ ...pointerTo(nodenames), spec: { ...nodename, nodename: 'node01' } });
  await report('old');
  const turn = createPodTurnController({
    ...{ grant, problems, replaceInTurn, checkOwn: async () => ({ healthy: true }) as const },
    container: new ServerContainer(state),
  });
  await using node = await openNode({ gates: { grant, isServerReady: async () => true }, more: [turn] });
  await turn.begin(new AbortController().signal);
  await node.service('etcd');
  await node.configure(await controlPlaneText());
  await report(undefined);
  const patch = 'apiVersion: v1alpha1\nkind: KubeAPIServerConfig\nextraArgs: { v: "2" }';
  await node.configure(await controlPlaneText({ patches: [patch] }));
  assert.deepEqual(results, [false, false, true]);
});

test('on a node with a kubelet the other components follow when the API server has been ready once', async () => {
  let isReady = false;
  const gates = { grant: new PodGrant(), isServerReady: async () => isReady };
  await using node = await openNode({ gates });
  await node.service('etcd');
  await node.configure(await controlPlaneText());
  await node.runtime.advance(60_000);
  assert.deepEqual(await node.ids(staticPods), ['kube-apiserver']);
  isReady = true;
  await node.runtime.advance(1_000);
  const all = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];
  assert.deepEqual(await node.ids(staticPods), all);
  isReady = false;
  const patch = 'apiVersion: v1alpha1\nkind: KubeSchedulerConfig\nextraArgs: { v: "4" }';
  await node.configure(await controlPlaneText({ patches: [patch] }));
  assert.deepEqual(await node.ids(staticPods), all);
});

test('a denied flag keeps the earlier command line', async () => {
  await using node = await openNode();
  await node.service('etcd');
  await node.configure(await controlPlaneText());
  const before = await node.spec(apiServerConfigs, 'final-kube-apiserver');
  const patch = 'apiVersion: v1alpha1\nkind: KubeAPIServerConfig\nextraArgs: { etcd-servers: "x" }';
  await node.configure(await controlPlaneText({ patches: [patch] }));
  assert.deepEqual(await node.spec(apiServerConfigs, 'final-kube-apiserver'), before);
  const failure = node.runtime.logged.find(
    ({ level, error }) => level !== 'debug' && String(error).includes('"etcd-servers"'),
  );
  assert.ok(failure !== undefined);
});

test('the status of a pod follows its service, and pods of the user stay pending with the reason', async () => {
  await using node = await openNode();
  await node.service('etcd');
  const pod =
    'apiVersion: v1alpha1\nkind: KubeStaticPodConfig\nname: mine\npod: { kind: Pod, metadata: { name: mine } }';
  await node.configure(`${await controlPlaneText()}\n---\n${pod}\n`);
  await node.service('kube-apiserver');
  await node.service('kube-scheduler', false);
  const facts = async (id: string) => {
    const { phase, reason, conditions } = (await node.spec(staticPodStatuses, id)).podStatus;
    const ready = (conditions as { type: string; status: string }[]).find(
      ({ type }) => type === 'Ready',
    )?.status;
    return [phase, reason, ready];
  };
  assert.deepEqual(
    await Promise.all(
      ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler']
        .map((name) => `kube-system/${name}-node01`)
        .concat('default/mine-node01')
        .map(facts),
    ),
    [
      ['Running', undefined, 'True'],
      ['Pending', undefined, 'False'],
      ['Running', undefined, 'False'],
      ['Pending', 'NoContainerRuntime', 'False'],
    ],
  );
});

test('everything disappears when the node no longer runs an API server', async () => {
  await using node = await openNode();
  await node.service('etcd');
  await node.configure(await controlPlaneText());
  await node.configure('version: v1alpha1\nmachine: { type: controlplane }\ncluster: {}\n');
  for (const kind of [
    kubernetesRootSecrets,
    kubernetesDynamicCerts,
    kubernetesSecrets,
    staticPods,
    secretStatuses,
  ])
    assert.deepEqual(await node.ids(kind), [], kind.type);
  assert.deepEqual([node.secrets(), node.configs()], [{}, {}]);
});
