// The import rules between topics of machined. A topic is a folder with all of its code; other topics import
// only its face, the files listed here (docs/rooms.md).
import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const source = join(import.meta.dirname, '..', '..', 'services', 'machined', 'src');

interface Topic {
  /** Other topics whose faces it may import. */
  readonly imports: readonly string[];
  /** The files that others may import, in addition to its opener. */
  readonly face: readonly string[];
}

const topics: Readonly<Record<string, Topic>> = {
  access: {
    imports: [],
    face: ['domain/caller-roles.ts', 'domain/resource-access.ts', 'rpc/guarded-state.ts'],
  },
  cluster: { imports: ['access'], face: ['domain/trustd-endpoints.ts', 'host/trustd-channel.ts'] },
  config: {
    imports: ['access', 'life', 'logs', 'time'],
    face: ['controllers/meta-store.ts', 'domain/meta-values.ts'],
  },
  containers: {
    imports: [],
    face: [
      'host/container-runner.ts',
      'host/open-container-runtime.ts',
      'host/own-containers.ts',
      'host/run-container.ts',
      'host/runc-runner.ts',
    ],
  },
  daemons: {
    imports: ['access', 'containers'],
    face: ['domain/daemon-command.ts', 'domain/settle-time.ts'],
  },
  devices: { imports: [], face: [] },
  etcd: { imports: ['config', 'containers', 'network', 'secrets', 'services'], face: [] },
  extensions: {
    imports: ['containers'],
    face: [
      'host/open-extension-sets.ts',
      'host/receive-archive.ts',
      'host/set-folder.ts',
      'host/sound-start.ts',
    ],
  },
  files: { imports: [], face: ['domain/tar-header.ts'] },
  hardware: { imports: [], face: [] },
  kernel: {
    imports: [],
    face: ['domain/kernel-requirements.ts', 'domain/security-state.ts', 'host/kernel-parameter-file.ts'],
  },
  'kube-node': { imports: ['kubelet'], face: [] },
  kubelet: { imports: ['containers', 'kubernetes'], face: [] },
  kubernetes: {
    imports: ['files', 'secrets'],
    face: [
      'domain/pod-settings.ts',
      'domain/pod-status.ts',
      'domain/secret-files.ts',
      'host/pod-problems.ts',
    ],
  },
  life: {
    imports: ['services'],
    face: [
      'domain/boot-files.ts',
      'domain/container-node.ts',
      'domain/node-event.ts',
      'domain/wipe-event.ts',
      'host/event-store.ts',
      'host/first-process.ts',
      'host/machine-cgroups.ts',
      'host/modules-of-init.ts',
      'host/prepare-container.ts',
      'host/node-wipe.ts',
    ],
  },
  logs: {
    imports: [],
    face: ['domain/log-destination.ts', 'host/own-log.ts'],
  },
  network: {
    imports: ['life'],
    face: ['domain/node-addresses.ts'],
  },
  secrets: {
    imports: ['cluster'],
    face: [
      'controllers/issue-locally.ts',
      'controllers/issued-certificates.ts',
      'domain/cert-sans.ts',
      'domain/certificate-specs.ts',
      'domain/time-wait.ts',
    ],
  },
  services: {
    imports: [],
    face: [
      'controllers/services-controllers.ts',
      'domain/service-control.ts',
      'host/forgo-capabilities.ts',
      'host/own-service.ts',
      'rpc/service-health-message.ts',
    ],
  },
  time: {
    imports: [],
    face: ['domain/askable-servers.ts'],
  },
  upgrade: {
    imports: ['config', 'extensions', 'life', 'volumes'],
    face: [
      'domain/artefact-name.ts',
      'domain/upgrades.ts',
      'host/artefact-store.ts',
      'host/image-additions.ts',
      'host/open-artefacts.ts',
      'host/slot-folder.ts',
      'host/watchdog.ts',
      'open-installation.ts',
      'open-process-upgrade.ts',
    ],
  },
  'upgrade-calls': {
    imports: ['extensions', 'upgrade', 'upgrade-plan'],
    face: ['upgrade-calls-topic.ts'],
  },
  'upgrade-rollout': { imports: ['upgrade-calls', 'upgrade-plan'], face: [] },
  'upgrade-plan': {
    imports: ['life', 'upgrade'],
    face: ['testing/test-plans.ts', 'upgrade-plan-topic.ts'],
  },
  volumes: { imports: ['access'], face: ['host/block-port.ts'] },
};

interface Import {
  /** Both paths are relative to the sources of machined. */
  readonly file: string;
  readonly target: string;
}

const imports: Import[] = globSync('**/*.ts', { cwd: source }).flatMap((file) => {
  const specifiers = readFileSync(join(source, file), 'utf8').matchAll(
    /(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)['"](\.[^'"]+)['"]/gm,
  );
  return [...specifiers].map(([, specifier = '']) => ({
    file,
    target: normalize(join(dirname(file), specifier)),
  }));
});

const isTest = (file: string) => file.endsWith('.test.ts') || file.includes('testing/');
const show = ({ file, target }: Import) => `${file} imports ${target}`;
const topicOf = (path: string) => Object.keys(topics).find((name) => path.startsWith(`${name}/`));
const faceOf = (name: string) =>
  [`open-${name}.ts`, ...(topics[name]?.face ?? [])].map((file) => `${name}/${file}`);

test('every topic is a folder with an opener, and every folder with an opener is a topic', () => {
  const found = readdirSync(source).filter((name) => existsSync(join(source, name, `open-${name}.ts`)));
  assert.deepEqual(found.sort(), Object.keys(topics).sort());
});

test('no code outside a topic imports more than its face', () => {
  const found = imports.filter(({ file, target }) => {
    const topic = topicOf(target);
    return topic !== undefined && topicOf(file) !== topic && !faceOf(topic).includes(target);
  });
  assert.deepEqual(found.map(show), []);
});

test('every file of a face exists and is imported from outside its topic', () => {
  const idle = Object.keys(topics).flatMap((name) =>
    faceOf(name).filter(
      (path) => !imports.some(({ file, target }) => target === path && topicOf(file) !== name),
    ),
  );
  assert.deepEqual(idle, []);
});

test('a topic imports only the topics in its list', () => {
  const found = imports.filter(({ file, target }) => {
    const [own, other] = [topicOf(file), topicOf(target)];
    if (own === undefined || other === undefined || own === other) return false;
    return topics[own]?.imports.includes(other) !== true;
  });
  assert.deepEqual(found.map(show), []);
});

test('the imports between topics have no cycle', () => {
  const reach = (name: string, path: readonly string[]): string[] =>
    (topics[name]?.imports ?? []).flatMap((next) =>
      path.includes(next) ? [[...path, next].join(' > ')] : reach(next, [...path, next]),
    );
  const circles = Object.keys(topics).flatMap((name) => reach(name, [name]));
  assert.deepEqual(circles, []);
});

test('only the stages of the composition open topics', () => {
  const openers = Object.keys(topics).map((name) => `${name}/open-${name}.ts`);
  const found = imports.filter(
    ({ file, target }) => openers.includes(target) && !file.startsWith('stages/') && !isTest(file),
  );
  assert.deepEqual(found.map(show), []);
});

test('only the composition root imports the stages', () => {
  const found = imports.filter(
    ({ file, target }) =>
      target.startsWith('stages/') && !file.startsWith('stages/') && file !== 'machined.ts',
  );
  assert.deepEqual(found.map(show), []);
});

test('the base imports no topic and no stage', () => {
  const found = imports.filter(
    ({ file, target }) => file.startsWith('base/') && !target.startsWith('base/') && !isTest(file),
  );
  assert.deepEqual(found.map(show), []);
});

test('at most a twentieth of the imports within topics reach into another topic', () => {
  const own = imports.filter(({ file }) => topicOf(file) !== undefined && !isTest(file));
  const across = own.filter(({ file, target }) => ![topicOf(file), undefined].includes(topicOf(target)));
  const share = across.length / own.length;
  assert.ok(share <= 0.05, `${across.length} of ${own.length}:\n${across.map(show).join('\n')}`);
});

test('the base has no controller and no call', () => {
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !isTest(file));
  const text = (file: string) => readFileSync(join(source, file), 'utf8');
  const base = files.filter((file) => topicOf(file) === undefined);
  const controllers = base.filter((file) => /name: '[a-z0-9]+\.\w+Controller'/.test(text(file)));
  assert.deepEqual(controllers, []);
  const calls = base.filter((file) => /\w+ServiceImplementation\b/.test(text(file)));
  assert.deepEqual(calls, []);
});

test('the composition root fits on one page', () => {
  assert.ok(readFileSync(join(source, 'machined.ts'), 'utf8').split('\n').length < 100);
});
