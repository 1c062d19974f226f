// What is in the images and how they start. Needs a Docker engine.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { askEngine } from '../../packages/provision/src/docker/ask-engine.ts';
import { runDocker, tryDocker } from '../../packages/provision/src/docker/run-docker.ts';
import { daemonCommand } from '../../services/machined/src/domain/daemon-command.ts';
import { nativeArchitecture } from '../../tools/images/architecture.ts';
import { buildImages, type ImageService, imageServices } from '../../tools/images/build-images.ts';
import { readTar } from '../../tools/images/tar.ts';
import { copyCheckout } from './copy-checkout.ts';

const tag = `test-${process.pid}`;
const nameOf = (service: string) => `nodewright/${service}:${tag}`;
const engine = await askEngine();
const copy = copyCheckout();
after(() => copy[Symbol.dispose]());
const users = { machined: '52:52', apid: '50:50', trustd: '51:51', toolbox: '52:52' };

interface ImageFacts {
  readonly Config: {
    readonly User: string;
    readonly Entrypoint: readonly string[];
    readonly Healthcheck: { readonly Test: readonly string[] };
    readonly Labels: Readonly<Record<string, string>>;
  };
}

async function inspect(service: string): Promise<ImageFacts['Config']> {
  const [image] = JSON.parse(await runDocker(['image', 'inspect', nameOf(service)])) as ImageFacts[];
  assert.ok(image !== undefined);
  return image.Config;
}

const build = (useCache: boolean, services = imageServices as readonly ImageService[]) =>
  buildImages({
    checkout: copy.path,
    tag,
    architecture: nativeArchitecture(),
    useCache,
    services,
    epochSeconds: 1_700_000_000,
    revision: '0123456789abcdef',
    note: () => {},
  });

suite('images', { skip: engine.state === 'ready' ? false : engine.advice }, () => {
  let built: Awaited<ReturnType<typeof build>> = [];
  before(async () => {
    built = await build(true);
  });
  after(async () => {
    await tryDocker(['rmi', '--force', ...imageServices.map(nameOf)]);
  });

  test('an image that is built anew without a cache has the same id', async () => {
    const [apid] = await build(false, ['apid']);
    assert.deepEqual(
      apid,
      built.find(({ name }) => name === nameOf('apid')),
    );
    assert.ok(apid !== undefined);
  });

  test('every image has a user of its own, a health check and labels', async () => {
    for (const service of imageServices) {
      const { User, Healthcheck, Labels } = await inspect(service);
      assert.equal(User, users[service]);
      // The toolbox is commands, not a daemon.
      if (service === 'toolbox') assert.equal(Healthcheck, undefined);
      else
        assert.deepEqual(Healthcheck.Test.slice(0, 3), [
          'CMD',
          '/usr/bin/node',
          '/usr/lib/nodewright/health-probe/health-probe.cjs',
        ]);
      assert.deepEqual(
        Object.keys(Labels).map((name) => name.replace('org.opencontainers.image.', '')),
        ['base.name', 'description', 'licenses', 'revision', 'title', 'vendor', 'version'],
      );
      assert.equal(Labels['org.opencontainers.image.revision'], '0123456789abcdef');
    }
  });

  test('apid and trustd start in an image as machined starts them, follow the network of their node, and may keep a log', async () => {
    for (const daemon of ['apid', 'trustd'] as const) {
      const expected = daemonCommand({
        daemon,
        root: '',
        nodeBinary: '/usr/bin/node',
        servicesFolder: '/usr/lib/nodewright',
      });
      const folder = '/usr/lib/nodewright/follow-node';
      expected.splice(
        expected.indexOf(`/usr/lib/nodewright/${daemon}/${daemon}.cjs`),
        0,
        ...[
          `--allow-fs-read=${folder}`,
          `--allow-fs-read=/var/log/${daemon}`,
          `--allow-fs-write=/var/log/${daemon}`,
          `--require=${folder}/follow-node.cjs`,
        ],
      );
      assert.deepEqual((await inspect(daemon)).Entrypoint, expected);
    }
  });

  test('daemons run under the permission model without add-ons and child processes', async () => {
    for (const service of ['machined', 'apid', 'trustd']) {
      const { Entrypoint } = await inspect(service);
      assert.ok(Entrypoint.includes('--permission'));
      assert.deepEqual(
        Entrypoint.filter((flag) => /^--allow-(addons|child-process|worker|ffi|wasi)/.test(flag)),
        [],
      );
    }
  });

  test('an image holds one program, and it runs without a shell and without privileges', async () => {
    for (const service of imageServices) {
      const container = (await runDocker(['create', '--network=none', nameOf(service)])).trim();
      try {
        const programs = await programsOf(container);
        assert.deepEqual(programs, ['usr/bin/node']);
      } finally {
        await runDocker(['rm', container]);
      }
      const versionArgs = service === 'toolbox' ? ['version', '--client'] : ['--version'];
      const version = await runDocker([
        ...['run', '--rm', '--network=none', '--read-only', '--cap-drop=ALL'],
        ...['--security-opt=no-new-privileges', nameOf(service)],
        ...versionArgs,
      ]);
      assert.match(version, service === 'toolbox' ? /Tag:\s+v\d/ : new RegExp(`^${service} v\\d`));
    }
  });
});

/** Made by the engine for the container. */
const ofTheEngine = new Set(['.dockerenv', 'dev/console', 'etc/hostname', 'etc/hosts', 'etc/resolv.conf']);

/** Files that the kernel would run: executable by someone, and no library. */
async function programsOf(container: string): Promise<string[]> {
  return [...readTar(await exportOf(container))]
    .filter(({ type, header, name }) => {
      const mode = Number.parseInt(header.toString('latin1', 100, 107), 8);
      return (
        (type === '0' || type === '\0') &&
        (mode & 0o111) !== 0 &&
        !/\.so(\.|$)/.test(name) &&
        !ofTheEngine.has(name)
      );
    })
    .map(({ name }) => name);
}

async function exportOf(container: string): Promise<Buffer> {
  const file = join(copy.path, 'root.tar');
  await runDocker(['export', '--output', file, container]);
  return readFileSync(file);
}
