import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { issueCertificate, parseCertificate } from '@nodewright/pki';
import { MemoryState, type Pointer, pointerTo } from '@nodewright/state';
import {
  apiCertificates,
  apiServiceConfigs,
  apiWaits,
  certSans,
  hostnameStatuses,
  machineTypes,
  maintenanceServiceConfigs,
  maintenanceServiceRequests,
  networkStatuses,
  nodeAddresses,
  osRootSecrets,
  siderolinkConfigs,
  timeStatuses,
  trustdCertificates,
} from '@nodewright/state/kinds';
import { eventually } from '@nodewright/testkit';
import { timeWaitOf } from '../domain/time-wait.ts';
import type { AskForCertificate } from './api.ts';
import { listenAddress, newAuthority, openSecretsRig, type SecretsRig } from './testing/secrets-rig.ts';

const [first, second] = await Promise.all([newAuthority(), newAuthority()]);
const hourMs = 3_600_000;
const isSignedBy = (crt: string | undefined, ca: { certificate: string }) =>
  new X509Certificate(crt ?? '').verify(new X509Certificate(ca.certificate).publicKey);

const facts = (crt: string | undefined) => {
  const { subject, dnsNames, ipAddresses, extendedKeyUsage } = parseCertificate(crt ?? '');
  return { subject, dnsNames, ipAddresses, extendedKeyUsage };
};

test('a control plane issues the certificates of its daemons from its own CA, and sets their listeners', async () => {
  await using node = await openSecretsRig();
  await node.configure({ ca: first, certSANs: ['api.example.org'] });
  const api = await node.spec(apiCertificates, 'api');
  const trustd = await node.spec(trustdCertificates, 'trustd');
  const server = {
    subject: { commonName: 'node01', organizations: [] },
    dnsNames: ['api.example.org', 'node01'],
    ipAddresses: ['127.0.0.1', '127.5.6.2'],
    extendedKeyUsage: ['serverAuth'],
  };
  assert.deepEqual(facts(api?.server?.crt), server);
  assert.deepEqual(facts(trustd?.server?.crt), server);
  assert.deepEqual(facts(api?.client?.crt), {
    subject: { commonName: 'node01', organizations: ['os:impersonator'] },
    dnsNames: [],
    ipAddresses: [],
    extendedKeyUsage: ['clientAuth'],
  });
  for (const crt of [api?.server?.crt, api?.client?.crt, trustd?.server?.crt]) {
    assert.ok(isSignedBy(crt, first));
  }
  assert.notEqual(api?.server?.key, trustd?.server?.key);
  const accepted = [{ crt: first.certificate }];
  assert.deepEqual([api?.acceptedCAs, trustd?.acceptedCAs], [accepted, accepted]);
  assert.deepEqual(await node.spec(apiServiceConfigs, 'apid'), {
    listenAddress,
    nodeRoutingDisabled: false,
    readonlyRoleMode: false,
    skipVerifyingClientCert: false,
  });
});

const versions = async (node: SecretsRig) => [
  await node.version(apiCertificates, 'api'),
  await node.version(trustdCertificates, 'trustd'),
];

test('certificates are reissued when they are due or an input changes, and for no other reason', async () => {
  await using node = await openSecretsRig();
  await node.configure({ ca: first });
  const seen = [await versions(node)];
  const after = async (change: () => Promise<unknown>) => {
    await change();
    await node.runtime.settled();
    seen.push(await versions(node));
  };
  const time = (epoch: number) =>
    node.put(timeStatuses, 'node', { synced: epoch > 0, epoch, syncDisabled: false });
  const address = (...addresses: string[]) =>
    node.put(nodeAddresses, 'accumulative-no-k8s', { addresses, sortAlgorithm: 'v1' });
  const network = (etcFilesReady: boolean) =>
    node.put(networkStatuses, 'status', {
      ...{ addressReady: true, connectivityReady: true, hostnameReady: true, etcFilesReady },
    });
  await after(() => network(false));
  await after(() => time(0));
  await after(() => time(1));
  await after(() => address('127.5.6.2/32', '127.5.6.9/32'));
  await after(() => node.put(hostnameStatuses, 'hostname', { hostname: 'other', domainname: '' }));
  await after(() => node.runtime.advance(12 * hourMs - 1000));
  await after(() => node.runtime.advance(2000));
  assert.deepEqual(seen, [
    [1, 1],
    [1, 1],
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
    [4, 4],
    [5, 5],
  ]);
});

const minuteMs = 60_000;
const synced = (epoch: number) => ({ synced: true, epoch, syncDisabled: false });
const notSynced = { synced: false, epoch: 0, syncDisabled: false };

test('after maintenance the certificates of the API wait for a time server, and begin at the time that it has set', async () => {
  await using node = await openSecretsRig({ isMaintenance: true, timeWait: 'first-configuration' });
  await node.put(timeStatuses, 'node', notSynced);
  assert.equal((await node.spec(apiCertificates, 'api'))?.skipVerifyingClientCert, true);
  await node.configure({ ca: first });
  await node.runtime.advance(minuteMs - 1000);
  assert.equal(await node.spec(apiCertificates, 'api'), undefined);
  node.runtime.timers.stepClock(6 * 8760 * hourMs);
  await node.put(timeStatuses, 'node', synced(1));
  await node.runtime.settled();
  const api = await node.spec(apiCertificates, 'api');
  const begin = new X509Certificate(api?.server?.crt ?? '').validFromDate.getTime();
  assert.ok(Math.abs(node.runtime.timers.now() - 30 * 60_000 - begin) < 10_000, String(new Date(begin)));
  assert.equal(api?.skipVerifyingClientCert, false);
});

test('without a time server the certificates of the API wait a minute, and no later ones wait again', async () => {
  await using node = await openSecretsRig({ isMaintenance: true, timeWait: 'first-configuration' });
  await node.put(timeStatuses, 'node', notSynced);
  await node.configure({ ca: first });
  await node.runtime.advance(minuteMs - 1000);
  assert.equal(await node.version(apiCertificates, 'api'), 0);
  await node.runtime.advance(1000);
  assert.equal(await node.version(apiCertificates, 'api'), 1);
  await node.configure({ ca: second });
  assert.ok(isSignedBy((await node.spec(apiCertificates, 'api'))?.server?.crt, second));
});

test('a clock that is set neither ends nor lengthens the wait of certificates for a time server', async () => {
  await using node = await openSecretsRig({ isMaintenance: true, timeWait: 'first-configuration' });
  await node.put(timeStatuses, 'node', notSynced);
  await node.configure({ ca: first });
  for (const [epoch, stepMs] of [hourMs, -2 * hourMs].entries()) {
    await node.runtime.advance(20_000);
    node.runtime.timers.stepClock(stepMs);
    await node.put(timeStatuses, 'node', { ...notSynced, epoch: epoch + 1 });
    await node.runtime.settled();
    assert.equal(await node.version(apiCertificates, 'api'), 0);
  }
  await node.runtime.advance(20_000);
  assert.equal(await node.version(apiCertificates, 'api'), 1);
});

test('a start with a stored configuration waits for a time server only where the clock is known to be wrong', async () => {
  for (const [timeWait, version] of [
    ['never', 1],
    ['first-configuration', 1],
    ['every-start', 0],
  ] as const) {
    await using node = await openSecretsRig({ timeWait });
    await node.put(timeStatuses, 'node', notSynced);
    await node.configure({ ca: first });
    assert.equal(await node.version(apiCertificates, 'api'), version, timeWait);
    await node.put(timeStatuses, 'node', synced(0));
    await node.runtime.settled();
    assert.equal(await node.version(apiCertificates, 'api'), 1, timeWait);
  }
});

test('only nodes that may set their clock wait for a time server', () => {
  assert.deepEqual([undefined, { wasBehind: false }, { wasBehind: true }].map(timeWaitOf), [
    'never',
    'first-configuration',
    'every-start',
  ]);
});

test('an additional accepted CA, and then another issuer, take effect at once', async () => {
  await using node = await openSecretsRig();
  const look = async () => {
    const api = await node.spec(apiCertificates, 'api');
    const issuer = [first, second].findIndex((ca) => isSignedBy(api?.server?.crt, ca));
    return [api?.acceptedCAs.map(({ crt }) => (crt === first.certificate ? 'first' : 'second')), issuer];
  };
  const steps = [];
  for (const [ca, acceptedCAs] of [
    [first, []],
    [first, [second.certificate]],
    [second, [first.certificate]],
    [second, []],
  ] as const) {
    await node.configure({ ca, acceptedCAs });
    steps.push(await look());
  }
  assert.deepEqual(steps, [
    [['first'], 0],
    [['second', 'first'], 0],
    [['first', 'second'], 1],
    [['second'], 1],
  ]);
  assert.deepEqual(await node.spec(osRootSecrets, 'os'), {
    issuingCA: { crt: second.certificate, key: second.key },
    acceptedCAs: [{ crt: second.certificate }],
    certSANIPs: [],
    certSANDNSNames: [],
    token: 'abcdef.0123456789abcdef',
  });
});

test('nothing is issued before the network has an address, nor for trustd before the node has a hostname', async () => {
  await using node = await openSecretsRig();
  const network = async (addressReady: boolean, hostnameReady: boolean) => {
    const rest = { connectivityReady: false, etcFilesReady: false };
    await node.put(networkStatuses, 'status', { addressReady, hostnameReady, ...rest });
    await node.runtime.settled();
    return versions(node);
  };
  await network(false, false);
  await node.configure({ ca: first });
  assert.deepEqual(
    [await network(false, true), await network(true, false), await network(true, true)],
    [
      [0, 0],
      [1, 0],
      [1, 1],
    ],
  );
});

/** A trustd whose answers the test controls. */
function scriptedTrustd() {
  const asked: { hosts: string[]; signal: AbortSignal }[] = [];
  let behave: () => Promise<void> = async () => {};
  let now: () => number = Date.now;
  const ask: AskForCertificate = async ({ certificate, endpoints, signal }) => {
    asked.push({ hosts: endpoints.map(({ host }) => host), signal });
    await behave();
    const { certificate: crt, key } = await issueCertificate({
      issuer: first,
      subject: { commonName: certificate.commonName },
      dnsNames: certificate.dnsNames,
      ipAddresses: certificate.ipAddresses,
      keyUsage: ['digitalSignature'],
      extendedKeyUsage: ['serverAuth'],
      notBefore: new Date(now()),
      lifetimeHours: 24,
    });
    return { certificate: crt, key, acceptedCAs: `${first.certificate}${second.certificate}` };
  };
  return {
    ask,
    asked,
    /** Certificates begin at the time of this node, or so much later, in ms. */
    followClock: ({ runtime }: SecretsRig, aheadMs = 0) => {
      now = () => runtime.timers.now() + aheadMs;
    },
    behave: (how: () => Promise<void>) => {
      behave = how;
    },
  };
}

const isThere = (node: SecretsRig, version = 1) =>
  eventually(async () => (await node.version(apiCertificates, 'api')) === version, {
    what: `version ${version} of the certificates`,
  });

test('a worker requests its certificate from a control plane, and gets none for forwarding', async () => {
  const trustd = scriptedTrustd();
  await using node = await openSecretsRig({ ask: trustd.ask });
  await node.configure({ type: 'worker', ca: first });
  await isThere(node);
  const spec = await node.spec(apiCertificates, 'api');
  assert.equal(facts(spec?.server?.crt).subject.commonName, 'node01');
  assert.deepEqual(
    [spec?.client, spec?.acceptedCAs, spec?.skipVerifyingClientCert],
    [undefined, [{ crt: `${first.certificate}${second.certificate}` }], false],
  );
  assert.deepEqual(
    trustd.asked.map(({ hosts }) => hosts),
    [['127.5.6.2']],
  );
  assert.equal(await node.version(trustdCertificates, 'trustd'), 0);
});

test('a worker without a reachable control plane keeps its certificate and retries', async () => {
  const trustd = scriptedTrustd();
  await using node = await openSecretsRig({ ask: trustd.ask });
  await node.configure({ type: 'worker', ca: first });
  await isThere(node);
  trustd.behave(() => Promise.reject(new Fault('unavailable', 'trustd at 127.5.6.2:50001: refused')));
  await node.configure({ type: 'worker', ca: first, certSANs: ['new.example.org'] });
  await eventually(() => node.runtime.logged.some(({ level }) => level === 'error'), { what: 'a failure' });
  assert.equal(await node.version(apiCertificates, 'api'), 1);
  assert.equal(await node.version(apiServiceConfigs, 'apid'), 1);

  trustd.behave(async () => {});
  await node.runtime.advance(500);
  await isThere(node, 2);
  assert.equal(trustd.asked.length, 3);
});

test('a worker makes no passes while its request is pending, however long its certificate has been due', async () => {
  const trustd = scriptedTrustd();
  let passes = 0;
  const state = new (class extends MemoryState {
    override get<S>(pointer: Pointer<S>) {
      if (pointer.type === certSans.type && pointer.id === 'api') passes += 1;
      return super.get(pointer);
    }
  })({ now: Date.now, cookie: Buffer.alloc(8) });
  await using node = await openSecretsRig({ ask: trustd.ask, state });
  trustd.followClock(node);
  await node.configure({ type: 'worker', ca: first });
  await isThere(node);
  const answer = Promise.withResolvers<void>();
  trustd.behave(() => answer.promise);
  await node.runtime.advance(12 * hourMs);
  assert.equal(trustd.asked.length, 2);
  const before = passes;
  await node.runtime.advance(60_000);
  assert.equal(passes - before, 0);

  trustd.behave(async () => {});
  answer.resolve();
  await isThere(node, 2);
  await node.runtime.advance(12 * hourMs);
  // A request for more names, whose answer takes real time, may have postponed the renewal.
  await eventually(
    async () => {
      await node.runtime.advance(1000);
      return (await node.version(apiCertificates, 'api')) === 3;
    },
    { what: 'version 3 of the certificates' },
  );
});

test("a change of a worker's inputs aborts the request and starts another, which is not a failure", async () => {
  const trustd = scriptedTrustd();
  trustd.behave(() => new Promise(() => {}));
  await using node = await openSecretsRig({ ask: trustd.ask });
  await node.configure({ type: 'worker', ca: first });
  trustd.behave(async () => {});
  await node.configure({ type: 'worker', ca: first, certSANs: ['new.example.org'] });
  await isThere(node);
  assert.deepEqual(
    trustd.asked.map(({ signal }) => signal.aborted),
    [true, false],
  );
  assert.deepEqual(
    node.runtime.logged.filter(({ level }) => level === 'error'),
    [],
  );
});

test('a node that still looks for its configuration issues nothing', async () => {
  await using node = await openSecretsRig();
  assert.deepEqual(await versions(node), [0, 0]);
});

test('a node without a configuration serves its API on its own address, also with settings of SideroLink', async () => {
  await using node = await openSecretsRig({ isMaintenance: true });
  const settings = siderolinkConfigs.codec.fromProto(new Uint8Array());
  await node.put(siderolinkConfigs, 'siderolink', settings);
  // An address of that form, which nothing but a tunnel of SideroLink would keep apart from others.
  for (const address of ['10.5.0.2', 'fdae:41e4:649b:9303::1']) {
    await node.put(nodeAddresses, 'current', { addresses: [`${address}/64`], sortAlgorithm: 'v1' });
    await node.runtime.settled();
    assert.deepEqual(await node.spec(maintenanceServiceConfigs, 'maintenance'), {
      listenAddress,
      reachableAddresses: [address],
    });
    assert.equal((await node.spec(apiServiceConfigs, 'apid'))?.listenAddress, listenAddress);
  }
});

test('a node without a configuration treats every client as a reader, until it has one', async () => {
  await using node = await openSecretsRig({ isMaintenance: true });
  const api = await node.spec(apiCertificates, 'api');
  assert.deepEqual(facts(api?.server?.crt), {
    subject: { commonName: 'maintenance-service.talos.dev', organizations: [] },
    dnsNames: ['node01'],
    ipAddresses: ['127.0.0.1', '127.5.6.2', '::1'],
    extendedKeyUsage: ['serverAuth'],
  });
  assert.deepEqual([api?.client, api?.acceptedCAs, api?.skipVerifyingClientCert], [undefined, [], true]);
  assert.deepEqual(await node.spec(maintenanceServiceConfigs, 'maintenance'), {
    listenAddress,
    reachableAddresses: ['127.5.6.2'],
  });
  assert.deepEqual(await node.spec(apiServiceConfigs, 'apid'), {
    listenAddress,
    nodeRoutingDisabled: true,
    readonlyRoleMode: true,
    skipVerifyingClientCert: true,
  });
  assert.equal(await node.version(trustdCertificates, 'trustd'), 0);
  assert.equal(await node.version(certSans, 'api'), 0);
});

test('a change of the machine type replaces the certificates', async () => {
  const trustd = scriptedTrustd();
  await using node = await openSecretsRig({ ask: trustd.ask });
  await node.configure({ ca: first });
  await node.configure({ type: 'worker', ca: first });
  await isThere(node);
  assert.equal((await node.spec(apiCertificates, 'api'))?.client, undefined);
  assert.equal(await node.version(trustdCertificates, 'trustd'), 0);
  await node.put(machineTypes, 'machine-type', 'unknown');
  await node.runtime.settled();
  assert.equal(await node.spec(apiCertificates, 'api'), undefined);
  assert.equal(await node.spec(apiServiceConfigs, 'apid'), undefined);
  await node.put(maintenanceServiceRequests, 'maintenance', {});
  await node.runtime.settled();
  assert.equal((await node.spec(apiCertificates, 'api'))?.skipVerifyingClientCert, true);
});

/** What the API of a worker shows while its trustd never answers: the key, the issuer and the reason of the wait. */
async function shownBy(node: SecretsRig) {
  await node.runtime.settled();
  const api = await node.spec(apiCertificates, 'api');
  const reason = (await node.spec(apiWaits, 'apid'))?.reason;
  const fingerprint = api?.server && parseCertificate(api.server.crt).publicKeyFingerprint;
  return { api, reason, fingerprint, config: await node.spec(apiServiceConfigs, 'apid') };
}

const maintenanceRequest = pointerTo(maintenanceServiceRequests, 'maintenance');
const nothingShown = { api: undefined, reason: undefined, fingerprint: undefined, config: undefined };
const whatFor = 'this worker waits for its certificate from trustd of a control plane';

test('a worker that no control plane answers serves a certificate of its own, with the key that it had in maintenance', async () => {
  const asked: Parameters<AskForCertificate>[0][] = [];
  const answer = Promise.withResolvers<Awaited<ReturnType<AskForCertificate>>>();
  await using node = await openSecretsRig({
    isMaintenance: true,
    ask(request) {
      asked.push(request);
      return answer.promise;
    },
  });
  const { fingerprint } = await shownBy(node);
  await node.state.teardown(maintenanceRequest);
  await node.runtime.settled();
  await node.state.destroy(maintenanceRequest);
  await node.configure({ type: 'worker', ca: first });
  assert.deepEqual(await shownBy(node), nothingShown);

  await node.runtime.advance(5_000);
  const waiting = await shownBy(node);
  assert.deepEqual([waiting.fingerprint, waiting.reason], [fingerprint, whatFor]);
  assert.equal(isSignedBy(waiting.api?.server?.crt, first), false);
  assert.deepEqual(
    { ...waiting.api, server: undefined },
    {
      ...{ server: undefined, client: undefined, skipVerifyingClientCert: false },
      acceptedCAs: [{ crt: first.certificate }],
    },
  );
  assert.deepEqual(waiting.config, {
    ...{ listenAddress, nodeRoutingDisabled: false, readonlyRoleMode: false, skipVerifyingClientCert: false },
  });
  const told = node.runtime.logged.filter(({ msg }) => msg?.includes('--cert-fingerprint'));
  assert.deepEqual(
    told.map(({ fingerprint: logged }) => logged),
    [fingerprint],
  );
  // apid may still serve the certificate that it had before machined was restarted.
  assert.match(
    String(told[0]?.msg),
    /while its API has no certificate of its cluster, reach it with --cert-f/,
  );

  const [request] = asked;
  const { certificate: crt, key } = await issueCertificate({
    ...{ issuer: first, subject: { commonName: 'node01' }, keyUsage: ['digitalSignature'] },
    ...{ extendedKeyUsage: ['serverAuth'], notBefore: new Date(), lifetimeHours: 24 },
  });
  answer.resolve({ certificate: crt, key, acceptedCAs: first.certificate });
  await eventually(async () => (await shownBy(node)).reason === undefined, { what: 'the end of the wait' });
  const { api } = await shownBy(node);
  assert.deepEqual([api?.server?.crt, asked.length, request?.signal.aborted], [crt, 1, false]);
});

test('the reason of a wait is the last failure, in a text of limited length that changes every 5 s at most', async () => {
  let fail: (fault: Fault) => void = () => {};
  await using node = await openSecretsRig({
    ask({ onFailure }) {
      fail = (fault) => onFailure?.(fault);
      return new Promise(() => {});
    },
  });
  await node.configure({ type: 'worker', ca: first });
  const reasonAfter = async (message: string, delayMs: number) => {
    fail(new Fault('unavailable', message));
    await node.runtime.advance(delayMs);
    return (await shownBy(node)).reason;
  };
  assert.deepEqual(
    [
      await reasonAfter('trustd at 10.5.0.2:50001: refused', 4_000),
      await reasonAfter('trustd at 10.5.0.2:50001: refused', 1_000),
      await reasonAfter('trustd at 10.5.0.3:50001: refused', 4_000),
      await reasonAfter('x'.repeat(10_000), 1_000),
      await node.version(apiWaits, 'apid'),
    ],
    [
      undefined,
      `${whatFor}: trustd at 10.5.0.2:50001: refused`,
      `${whatFor}: trustd at 10.5.0.2:50001: refused`,
      `${whatFor}: ${'x'.repeat(400)}…`,
      2,
    ],
  );
});

test('a clock that is set back does not lengthen the pauses of a worker that waits for its certificate', async () => {
  let fail: (fault: Fault) => void = () => {};
  await using node = await openSecretsRig({
    ask({ onFailure }) {
      fail = (fault) => onFailure?.(fault);
      return new Promise(() => {});
    },
  });
  await node.configure({ type: 'worker', ca: first });
  const reasonAfter = async (message: string, delayMs: number) => {
    node.runtime.timers.stepClock(-hourMs);
    fail(new Fault('unavailable', message));
    await node.runtime.advance(delayMs);
    return (await shownBy(node)).reason;
  };
  assert.deepEqual(
    [
      await reasonAfter('first', 5_000),
      await reasonAfter('second', 4_000),
      await reasonAfter('third', 1_000),
    ],
    [`${whatFor}: first`, `${whatFor}: first`, `${whatFor}: third`],
  );
});

test('neither a control plane nor a worker with a valid certificate shows one of its own', async () => {
  const trustd = scriptedTrustd();
  await using controlPlane = await openSecretsRig();
  await controlPlane.configure({ ca: first });
  await using worker = await openSecretsRig({ ask: trustd.ask });
  await worker.configure({ type: 'worker', ca: first });
  await isThere(worker);
  trustd.behave(() => new Promise(() => {}));
  for (const node of [controlPlane, worker]) {
    const { api } = await shownBy(node);
    await node.runtime.advance(24 * hourMs - 2_000);
    const shown = await shownBy(node);
    assert.equal(shown.reason, undefined);
    assert.ok(isSignedBy(shown.api?.server?.crt, first));
    if (node === worker) assert.deepEqual(shown.api, api);
  }
});

test('a worker whose certificate has ended shows one of its own, until it has another from trustd', async () => {
  const trustd = scriptedTrustd();
  await using node = await openSecretsRig({ ask: trustd.ask });
  trustd.followClock(node);
  await node.configure({ type: 'worker', ca: first });
  await isThere(node);
  const answer = Promise.withResolvers<void>();
  trustd.behave(() => answer.promise);
  await node.runtime.advance(24 * hourMs);
  await node.runtime.advance(5_000);
  const waiting = await shownBy(node);
  assert.deepEqual([waiting.reason, isSignedBy(waiting.api?.server?.crt, first)], [whatFor, false]);

  trustd.behave(async () => {});
  answer.resolve();
  await eventually(async () => (await shownBy(node)).reason === undefined, { what: 'the end of the wait' });
  assert.ok(isSignedBy((await shownBy(node)).api?.server?.crt, first));
});

test('a worker renews its certificate after half of what remains of it, by its own clock', async () => {
  for (const [aheadMs, dueMs] of [
    [0, 12 * hourMs],
    [-20 * hourMs, 2 * hourMs],
    // The clock of the worker is wrong by more than the lifetime: it keeps what others can verify.
    [-48 * hourMs, 12 * hourMs],
    [48 * hourMs, 12 * hourMs],
  ] as const) {
    const trustd = scriptedTrustd();
    await using node = await openSecretsRig({ ask: trustd.ask });
    trustd.followClock(node, aheadMs);
    await node.configure({ type: 'worker', ca: first });
    await isThere(node);
    await node.runtime.advance(dueMs - 10_000);
    assert.deepEqual([trustd.asked.length, (await shownBy(node)).reason], [1, undefined]);
    await node.runtime.advance(10_000);
    await isThere(node, 2);
  }
});

test('the time that a worker waited for its certificate counts as time since its issue', async () => {
  const trustd = scriptedTrustd();
  await using node = await openSecretsRig({ ask: trustd.ask });
  trustd.followClock(node);
  const answer = Promise.withResolvers<void>();
  trustd.behave(() => answer.promise);
  await node.configure({ type: 'worker', ca: first });
  await node.runtime.advance(2 * hourMs);
  trustd.behave(async () => {});
  answer.resolve();
  // The first version is the certificate that it showed meanwhile.
  await isThere(node, 2);
  await node.runtime.advance(10 * hourMs - 10_000);
  assert.equal(trustd.asked.length, 1);
  await node.runtime.advance(10_000);
  assert.equal(trustd.asked.length, 2);
  await isThere(node, 3);
});

/** A worker whose certificate has only the names that trustd gives it. */
async function openNamelessWorker() {
  const trustd = {
    names: { dnsNames: ['node01'], ipAddresses: ['127.0.0.1'] },
    failure: undefined as Fault | undefined,
  };
  let [asked, pending] = [0, 0];
  const node = await openSecretsRig({
    async ask() {
      asked += 1;
      if (trustd.failure !== undefined) throw trustd.failure;
      pending += 1;
      const { certificate, key } = await issueCertificate({
        ...{ issuer: first, subject: { commonName: 'node01' }, keyUsage: ['digitalSignature'] },
        ...{ extendedKeyUsage: ['serverAuth'], notBefore: new Date(), lifetimeHours: 24, ...trustd.names },
      }).finally(() => (pending -= 1));
      return { certificate, key, acceptedCAs: first.certificate };
    },
  });
  await node.configure({ type: 'worker', ca: first });
  await isThere(node);
  return {
    ...{ trustd, node, [Symbol.asyncDispose]: () => node[Symbol.asyncDispose]() },
    /** How often trustd was asked after each of these times, and the version of the certificates. */
    askedAfter: async (...minutes: number[]) => {
      const counts: number[] = [];
      for (const each of minutes) {
        await node.runtime.advance(each * 60_000);
        // Keys are made in threads, of which the time of the test knows nothing.
        await eventually(() => pending === 0, { what: 'an answer' });
        await node.runtime.settled();
        counts.push(asked);
      }
      return [...counts, await node.version(apiCertificates, 'api')];
    },
  };
}

const allNames = { dnsNames: ['node01'], ipAddresses: ['127.0.0.1', '127.5.6.2'] };

test('a worker asks again each minute for names that its certificate lacks, at growing pauses, until it has them', async () => {
  await using worker = await openNamelessWorker();
  const { trustd, node, askedAfter } = worker;
  assert.deepEqual(await askedAfter(0.9, 0.1, 1, 1, 1, 1, 1, 1, 2, 2), [1, 2, 3, 4, 5, 6, 6, 7, 7, 8, 1]);

  trustd.failure = new Fault('unavailable', 'trustd at 127.5.6.2:50001: refused');
  const errors = () => node.runtime.logged.filter(({ level }) => level === 'error').length;
  assert.deepEqual(await askedAfter(8, 16), [9, 10, 1]);
  assert.equal(errors(), 0);

  trustd.failure = undefined;
  trustd.names = allNames;
  assert.deepEqual(await askedAfter(32), [11, 2]);
  assert.deepEqual(await askedAfter(64, 64), [11, 11, 2]);
});

test('a worker whose lacking names are refused asks again after the longest pause', async () => {
  await using worker = await openNamelessWorker();
  const { trustd, askedAfter } = worker;
  trustd.failure = new Fault('permission-denied', 'the address 127.5.6.2 belongs to another node');
  assert.deepEqual(await askedAfter(1, 31, 1), [2, 2, 3, 1]);
  trustd.failure = undefined;
  trustd.names = allNames;
  assert.deepEqual(await askedAfter(31, 1), [3, 4, 2]);
});

test('a clock that is set back does not delay the next request for lacking names', async () => {
  await using worker = await openNamelessWorker();
  const { node, askedAfter } = worker;
  assert.deepEqual(await askedAfter(1), [2, 1]);
  node.runtime.timers.stepClock(-10 * 60_000);
  // The certificate from before begins later than now, so it is replaced at once; that is one request of these.
  const [, asked = 0] = await askedAfter(1, 1);
  assert.ok(asked >= 4, `trustd was asked ${asked} times`);
});
