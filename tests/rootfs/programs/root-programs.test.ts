// containerd, runc, the CNI plugins and udevd run in the root of a machine, with nothing of this machine but its kernel.
import assert from 'node:assert/strict';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nativeArchitecture } from '@nodewright/build';
import { goRelease } from '@nodewright/build/go';
import { openContainerdRuntime } from '@nodewright/containers/containerd';
import { layoutArchive, makeTestImage } from '@nodewright/containers/testing';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { type StagedRoot, stageRoot } from '../../../rootfs/build-rootfs.ts';
import { rootPrograms } from '../../../rootfs/go/go-programs.ts';
import { goLibrary, goLicencePath } from '../../../rootfs/go/module-licences.ts';
import { unpackTools } from '../../../rootfs/workshop.ts';
import { ensureBusybox } from '../../../tools/engine/ensure-busybox.ts';
import { removeCgroups } from '../../containerd/start-containerd.ts';
import { cannotEnter, runInRoot, startInRoot } from './enter-root.ts';
import { writeBundle } from './runc-bundle.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
const work = mkdtempSync(join(tmpdir(), 'root-programs-'));
after(() => rmSync(work, { recursive: true, force: true }));
const { staged, skip } = await prepare();
const enter = { skip: skip || cannotEnter };

/** Modules and packages come over the network. Without them the tests are skipped and say why; in CI they fail. */
async function prepare(): Promise<{ staged: StagedRoot; skip: string | false }> {
  try {
    const workshop = { checkout, work, architecture: nativeArchitecture() };
    return { staged: await stageRoot(workshop, await unpackTools(workshop)), skip: false };
  } catch (error) {
    if (process.env.CI === 'true' || !(error instanceof Error)) throw error;
    return { staged: { root: work, entries: [], components: [] }, skip: error.message };
  }
}

function folder(name: string): string {
  const path = join(work, name);
  mkdirSync(path);
  return path;
}

const programs = ['containerd', 'containerd-shim-runc-v2', 'runc'].map((name) => `usr/bin/${name}`);
const udevPrograms = ['usr/bin/udevadm', 'usr/lib/udev/ata_id', 'usr/lib/udev/scsi_id'];
const plugins = ['bridge', 'firewall', 'flannel', 'host-local', 'loopback', 'portmap'].map(
  (name) => `opt/cni/bin/${name}`,
);

test('the root has these programs and no other', { skip }, () => {
  const found = staged.entries
    .map(({ path }) => path)
    .filter((path) => !path.includes('.so') && !lstatSync(join(staged.root, path)).isSymbolicLink())
    .filter((path) => (lstatSync(join(staged.root, path)).mode & 0o111) !== 0);
  const makers = ['mke2fs', 'mkfs.fat', 'mkfs.xfs'].map((name) => `usr/bin/${name}`);
  const others = [...makers, 'usr/bin/nft', 'usr/bin/node', ...udevPrograms];
  assert.deepEqual(found, [...plugins, ...programs, ...others].sort());
});

test('the rules of udevd call no program that the root lacks', { skip }, () => {
  const folder = join(staged.root, 'usr/lib/udev/rules.d');
  const rules = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const text = rules.join('').replaceAll(/^#.*$/gm, '');
  // A program without a folder is one of /usr/lib/udev. What a device sets itself (REMOVE_CMD) is not in the rules.
  const called = [
    ...text.matchAll(/(?:PROGRAM=*|IMPORT\{program\}=|RUN\+?=|RUN\{program\}\+?=)"(\S+?)[\s"]/g),
  ]
    .map(([, program = '']) => program)
    .filter((program) => !program.startsWith('$env{'));
  assert.ok(called.length > 0);
  const paths = called.map((program) => (program.startsWith('/') ? program : `/usr/lib/udev/${program}`));
  assert.deepEqual(
    paths.filter((path) => !existsSync(join(staged.root, path))),
    [],
  );
});

test('udevd and the programs of its rules run in the root, and the rules are valid', enter, () => {
  const within = { root: staged.root, work: folder('udev') };
  const first = ['/usr/bin/udevadm', '--version'];
  assert.match(runInRoot(within, first), /^257$/m);
  for (const program of ['/usr/bin/systemd-udevd', '/usr/lib/udev/ata_id', '/usr/lib/udev/scsi_id'])
    assert.match(runInRoot(within, [program, '--help']), /--help/);
  const verify = ['/usr/bin/udevadm', 'verify', '--resolve-names=never', '--no-style'];
  assert.match(runInRoot(within, verify), /Fail: +0/);
});

test('the bill of materials has the programs, the modules in them, and the C in runc', { skip }, () => {
  const versions = new Map(staged.components.map(({ name, version }) => [name, version]));
  const named = ['containerd', 'runc', 'cni-bridge', 'stdlib'].map((name) => versions.get(name));
  const { containerd, runc, 'cni-plugins': cni } = rootPrograms;
  assert.deepEqual(named, [containerd.version, runc.version, cni.version, goRelease.version.slice(2)]);
  for (const name of ['google.golang.org/grpc', 'github.com/opencontainers/cgroups', 'libseccomp-dev'])
    assert.ok(versions.has(name), name);
  assert.equal(staged.components.find(({ name }) => name === 'runc')?.summary?.includes('namespaces'), true);
});

test('every Go module in the root has a text of its licence there', { skip }, () => {
  const listed = new Set(staged.entries.map(({ path }) => path));
  const text = (path: string) => readFileSync(join(staged.root, path), 'utf8');
  const modules = staged.components.filter(({ purl = '' }) => purl.startsWith('pkg:golang/'));
  const own = rootPrograms['cni-flannel'].module;
  const lacking = modules
    .map(({ purl = '' }) => /^pkg:golang\/(.+)@([^@]+)$/.exec(purl) ?? [])
    .filter(([, path]) => path !== own)
    .map(([, path = '', version = '']) => goLicencePath({ path, version }))
    .filter(
      (path) => !listed.has(path) || !/licen[cs]e|copyright/i.test(text(path)) || text(path).length < 200,
    );
  assert.deepEqual(lacking, []);
  assert.ok(modules.length > 50, `${modules.length} modules`);
  assert.match(text(goLicencePath(goLibrary)), /The Go Authors/);
  const { module: path, version } = rootPrograms.runc;
  assert.match(text(goLicencePath({ path, version })), /Apache License/);
});

test('the programs contain no path of whoever built them', { skip }, () => {
  for (const path of [...programs, ...plugins]) {
    const program = readFileSync(join(staged.root, path));
    for (const place of [`${homedir()}/go`, checkout, `${tmpdir()}/rootfs-`, 'go-build', 'pkg/mod/'])
      assert.ok(!program.includes(place), `${path} has ${place}`);
  }
});

const versionLine = (version: string) => new RegExp(`Version: ${version.replaceAll('.', '\\.')}\n`);

test('the programs start in the root and tell their versions, and runc filters system calls', enter, () => {
  const entry = { root: staged.root, work: folder('versions') };
  const { containerd, runc } = rootPrograms;
  assert.ok(runInRoot(entry, ['containerd', '--version']).includes(` ${containerd.version} `));
  assert.match(
    runInRoot(entry, ['containerd-shim-runc-v2', '-v']).replaceAll(/ +/g, ' '),
    versionLine(containerd.version),
  );
  assert.ok(runInRoot(entry, ['runc', '--version']).startsWith(`runc version ${runc.version.slice(1)}\n`));
  const features = JSON.parse(runInRoot(entry, ['runc', 'features']));
  assert.equal(features.linux.seccomp.enabled, true);
  for (const plugin of plugins) {
    const environment = { CNI_COMMAND: 'VERSION' };
    const answer = runInRoot({ ...entry, environment }, [`/${plugin}`], '{"cniVersion":"1.1.0"}');
    assert.ok(JSON.parse(answer).supportedVersions.includes('1.1.0'), plugin);
  }
});

test('runc runs Node.js in a container, with its system calls filtered', enter, () => {
  const place = folder('runc');
  const script = `
    const answer = { version: process.version, pid: process.pid };
    try { require('node:fs').mkdirSync('/dev/made'); } catch ({ code }) { answer.code = code; }
    answer.mode = /Seccomp:\\s*(\\d)/.exec(require('node:fs').readFileSync('/proc/self/status', 'utf8'))[1];
    console.log(JSON.stringify(answer));`;
  const bundle = writeBundle(place, ['/usr/bin/node', '-e', script]);
  const command = ['runc', '--root', '/run/runc', 'run', '--bundle', bundle, 'shown'];
  const { version, ...rest } = JSON.parse(runInRoot({ root: staged.root, work: place }, command));
  assert.match(version, /^v26\./);
  assert.deepEqual(rest, { pid: 1, code: 'ENOTSUP', mode: '2' });
});

test('the CNI plugins connect a pod to a bridge, with an address', enter, () => {
  const place = folder('cni');
  writeFileSync(join(place, 'netns'), '');
  const environment = {
    ...{ CNI_COMMAND: 'ADD', CNI_CONTAINERID: 'pod', CNI_NETNS: join(place, 'netns'), CNI_IFNAME: 'eth0' },
    CNI_PATH: '/opt/cni/bin',
  };
  const ipam = { type: 'host-local', subnet: '10.99.0.0/24' };
  const network = {
    cniVersion: '1.0.0',
    name: 'pods',
    type: 'bridge',
    bridge: 'cni0',
    isGateway: true,
    ipam,
  };
  const entry = { root: staged.root, work: place, environment, ownNetwork: true };
  const answer = JSON.parse(runInRoot(entry, ['/opt/cni/bin/bridge'], JSON.stringify(network)));
  assert.equal(answer.ips[0].address, '10.99.0.2/24');
  const names = answer.interfaces.map(({ name }: { name: string }) => name.replace(/^veth.*/, 'veth'));
  assert.deepEqual(names, ['cni0', 'veth', 'eth0']);
});

/** Below it the driver places the containers. */
const cgroupRoot = `/nodewright-programs-${process.pid}`;

test('containerd runs a container, and answers the kubelet', { ...enter, timeout: 120_000 }, async () => {
  const place = folder('containerd');
  const socketPath = join(place, 'containerd.sock');
  const log = join(place, 'log');
  writeFileSync(
    join(place, 'config.toml'),
    [
      ...['version = 3', `root = "${place}/root"`, `state = "${place}/state"`],
      ...['[grpc]', `address = "${socketPath}"`],
      // A root without CAP_SYS_RESOURCE may not lower the score of a process.
      ...["[plugins.'io.containerd.cri.v1.runtime']", 'restrict_oom_score_adj = true', ''],
    ].join('\n'),
  );
  const output = openSync(log, 'a');
  const command = ['containerd', '--config', join(place, 'config.toml')];
  const child = startInRoot({ root: staged.root, work: place }, command, output);
  closeSync(output);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  try {
    await eventually(
      () => {
        if (child.exitCode !== null) throw new Error('it has ended');
        return readFileSync(log, 'utf8').includes('successfully booted');
      },
      { what: 'containerd', timeoutMs: 60_000, explain: () => readFileSync(log, 'utf8').slice(-3000) },
    );
    assert.match(await versionOfCri(socketPath), /containerd.*v2\.4\.2/s);
    await runContainer(place, socketPath);
  } finally {
    child.kill('SIGKILL');
    await ended;
    removeCgroups(cgroupRoot);
  }
});

/** Imports an image, runs it, and reads what it printed. */
async function runContainer(place: string, socketPath: string): Promise<void> {
  await using runtime = openContainerdRuntime({
    ...{ socketPath, telemetry: noTelemetry, cgroupRoot },
    ...{ logFolder: join(place, 'logs'), runcRoot: join(place, 'runc') },
  });
  const image = 'registry.example/test/shell:v1';
  const { images, containers } = runtime.namespace('system');
  const archive = await layoutArchive(await makeTestImage({ busybox: ensureBusybox(checkout) }), image);
  await images.import(
    (async function* () {
      yield archive;
    })(),
  );
  await containers.create({ id: 'shown', image, command: ['/bin/sh', '-c', 'echo words; exit 3'] });
  await containers.start('shown');
  assert.equal((await containers.wait('shown')).code, 3);
  const pieces: Uint8Array[] = [];
  for await (const piece of containers.logs('shown', {})) pieces.push(piece);
  assert.equal(Buffer.concat(pieces).toString(), 'words\n');
  await containers.remove('shown');
}

/** The answer of the kubelet's runtime service about its version, as bytes of protobuf. */
async function versionOfCri(socketPath: string): Promise<string> {
  const session = connect('http://containerd', { createConnection: () => connectSocket(socketPath) });
  try {
    const call = session.request({
      ...{ ':method': 'POST', ':path': '/runtime.v1.RuntimeService/Version', te: 'trailers' },
      'content-type': 'application/grpc',
    });
    // An empty message, and the five bytes before each message.
    call.end(Buffer.alloc(5));
    const pieces: Buffer[] = [];
    for await (const piece of call) pieces.push(piece as Buffer);
    return Buffer.concat(pieces).toString();
  } finally {
    session.destroy();
  }
}
