import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { extensionServiceConfigStatuses, extensionServiceConfigs } from '@nodewright/state/kinds';
import { openControllerRig } from '../../base/testing/controller-rig.ts';
import { createConfigFileStore } from '../host/config-file-store.ts';
import { extensionServiceController, type LoadedService } from './extension-service.ts';
import {
  extensionServiceConfigController,
  extensionServiceConfigFilesController,
} from './extension-service-config.ts';

const work = mkdtempSync(join(tmpdir(), 'extension-services-'));
after(() => rmSync(work, { recursive: true }));

const document = (name: string, content: string, mountPath = '/etc/demo.conf') =>
  [
    ...['---', 'apiVersion: v1alpha1', 'kind: ExtensionServiceConfig', `name: ${name}`],
    ...[
      'configFiles:',
      `  - content: ${content}`,
      `    mountPath: ${mountPath}`,
      'environment:',
      '  - A=b',
      '',
    ],
  ].join('\n');
const none = '---\napiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n';

function open(services: readonly LoadedService[] = []) {
  const folder = join(mkdtempSync(join(work, 'node-')), 'extensions');
  const done: string[] = [];
  const failed = new Set<string>();
  const listeners = new Set<() => void>();
  const service = extensionServiceController({
    async load() {
      done.push('load');
      return services;
    },
    restart: async (name) => void done.push(`restart ${name}`),
    start(name) {
      failed.delete(name);
      done.push(`start ${name}`);
    },
    failureOf: (name) => ({
      hasFailed: () => failed.has(name),
      onFailure(listener) {
        listeners.add(listener);
        return { [Symbol.dispose]: () => listeners.delete(listener) };
      },
    }),
  });
  const rig = openControllerRig([
    extensionServiceConfigController(),
    extensionServiceConfigFilesController(createConfigFileStore(folder)),
    service,
  ]);
  const fail = async (name: string) => {
    failed.add(name);
    for (const listener of listeners) listener();
    await rig.settled();
  };
  return { ...rig, folder, done, service, fail };
}

test('documents become resources and files, and both go away with the document', async () => {
  const { configure, specs, folder, runtime } = open();
  await using _rig = runtime;
  await configure(document('demo', 'one'));
  const spec = { files: [{ content: 'one', mountPath: '/etc/demo.conf' }], environment: ['A=b'] };
  assert.deepEqual(await specs(extensionServiceConfigs), [['demo', spec]]);
  const file = join(folder, 'demo/etc-demo.conf');
  assert.equal(readFileSync(file, 'utf8'), 'one');
  assert.deepEqual(
    [file, folder].map((path) => statSync(path).mode & 0o777),
    [0o644, 0o700],
  );
  const [[, first] = []] = await specs(extensionServiceConfigStatuses);
  await configure(document('demo', 'two', '/etc/other.conf'));
  const [[, second] = []] = await specs(extensionServiceConfigStatuses);
  assert.deepEqual(readdirSync(join(folder, 'demo')), ['etc-other.conf']);
  assert.notEqual(first?.specVersion, second?.specVersion);
  await configure(none);
  assert.deepEqual(await specs(extensionServiceConfigs), []);
  assert.deepEqual(await specs(extensionServiceConfigStatuses), []);
  assert.ok(!existsSync(join(folder, 'demo')));
});

test('a document that would write elsewhere writes nothing, and does not disturb the others', async () => {
  const { configure, specs, folder, runtime } = open();
  await using _rig = runtime;
  await configure(
    `${document('../../x', 'one')}${document('demo', 'one')}${document('other', 'one', '/a/../b')}`,
  );
  assert.deepEqual(
    (await specs(extensionServiceConfigStatuses)).map(([id]) => id),
    ['demo'],
  );
  assert.deepEqual(readdirSync(folder), ['demo']);
  assert.ok(!existsSync(join(folder, '../../x')));
});

test('a service is restarted when its configuration changes or is removed, and by the first one unless it waits for it', async () => {
  const services = [
    { name: 'waits', waitsForConfiguration: true },
    { name: 'demo', waitsForConfiguration: false },
  ];
  const { configure, done, service, settled, runtime } = open(services);
  await using _rig = runtime;
  const since = async (work: () => Promise<unknown>) => {
    done.length = 0;
    await work();
    return done.toSorted();
  };
  await configure(none);
  assert.deepEqual(done, []);
  service.begin();
  await settled();
  assert.deepEqual(done, ['load']);
  const both = (content: string) =>
    `${document('waits', content)}${document('demo', content)}${document('absent', content)}`;
  assert.deepEqual(await since(() => configure(both('one'))), ['restart demo']);
  assert.deepEqual(await since(() => configure(both('two'))), ['restart demo', 'restart waits']);
  assert.deepEqual(await since(() => configure(`${both('two')}${none}`)), []);
  assert.deepEqual(await since(() => configure(document('demo', 'two'))), ['restart waits']);
});

test('a service that failed to start starts again after a pause that grows, and at once with another configuration', async () => {
  const services = [
    { name: 'waits', waitsForConfiguration: true },
    { name: 'demo', waitsForConfiguration: false },
  ];
  const { configure, done, service, settled, fail, runtime } = open(services);
  await using _rig = runtime;
  await configure(document('waits', 'one'));
  service.begin();
  await settled();
  const after = async (ms: number) => {
    done.length = 0;
    await runtime.advance(ms);
    return [...done];
  };
  await fail('demo');
  assert.deepEqual([await after(4000), await after(1000)], [[], ['start demo']]);
  await fail('demo');
  await fail('waits');
  assert.deepEqual([await after(5000), await after(5000)], [['start waits'], ['start demo']]);
  assert.deepEqual(await after(600_000), []);
  await fail('waits');
  done.length = 0;
  await configure(document('waits', 'two'));
  assert.deepEqual(done, ['restart waits']);
});
