// The content of the images and how they start. Needs a Docker engine.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { nativeArchitecture } from '@nodewright/build';
import { nodePaths } from '@nodewright/contract';
import { askEngine, runDocker, tryDocker } from '@nodewright/provision/engine';
import { daemonCommand } from '../../services/machined/src/daemons/domain/daemon-command.ts';
import { buildImages, imageServices } from '../../tools/images/build-images.ts';
import { imageRevision } from '../../tools/images/image-revision.ts';
import { copyCheckout } from './copy-checkout.ts';
import { readFilesOf } from './read-files-of.ts';

const checkout = join(import.meta.dirname, '..', '..');
/** The runner of the suite has built the images of the checkout under this tag. A test that runs by itself builds its own. */
const { NODEWRIGHT_TAG: prepared } = process.env;
const tag = prepared ?? `test-${process.pid}`;
const revision = prepared === undefined ? '0123456789abcdef' : imageRevision(checkout);
const nameOf = (service: string) => `nodewright/${service}:${tag}`;
const engine = await askEngine();
/** The socket on which each daemon serves `grpc.health.v1`. */
function healthSocketOf(service: string, entrypoint: readonly string[]): string | undefined {
  if (service === 'machined') return '/run/machined/machined.sock';
  const flag = ['registryd', 'udevd-bridge'].includes(service) ? '--socket' : '--health-socket';
  return entrypoint[entrypoint.indexOf(flag) + 1];
}
const users = {
  ...{ machined: '52:52', apid: '50:50', trustd: '51:51', registryd: '53:53', 'udevd-bridge': '54:54' },
  toolbox: '52:52',
};

interface ImageFacts {
  readonly Config: {
    readonly User: string;
    readonly Entrypoint: readonly string[];
    /** Times in nanoseconds. */
    readonly Healthcheck: {
      readonly Test: readonly string[];
      readonly Timeout: number;
      readonly StartPeriod: number;
    };
    readonly Labels: Readonly<Record<string, string>>;
  };
}

async function inspect(service: string): Promise<ImageFacts['Config']> {
  const [image] = JSON.parse(await runDocker(['image', 'inspect', nameOf(service)])) as ImageFacts[];
  assert.ok(image !== undefined);
  return image.Config;
}

suite('images', { skip: engine.state === 'ready' ? false : engine.advice }, () => {
  before(async () => {
    if (prepared !== undefined) return;
    using copy = copyCheckout();
    await buildImages({
      checkout: copy.path,
      tag,
      architecture: nativeArchitecture(),
      useCache: true,
      epochSeconds: 1_700_000_000,
      revision,
      note: () => {},
    });
  });
  after(async () => {
    if (prepared === undefined) await tryDocker(['rmi', '--force', ...imageServices.map(nameOf)]);
  });

  test('every image has a user of its own, a health check and labels', async () => {
    for (const service of imageServices) {
      const { User, Healthcheck, Entrypoint, Labels } = await inspect(service);
      assert.equal(User, users[service]);
      // The toolbox holds commands, not a daemon.
      if (service === 'toolbox') assert.equal(Healthcheck, undefined);
      else {
        assert.deepEqual(Healthcheck.Test, [
          ...['CMD', '/usr/bin/node', '/usr/lib/nodewright/health-probe/health-probe.cjs'],
          healthSocketOf(service, Entrypoint),
        ]);
        // A probe starts Node.js. On a machine where a whole stack starts at once, that takes seconds.
        assert.deepEqual([Healthcheck.StartPeriod, Healthcheck.Timeout], [60e9, 10e9], service);
      }
      assert.deepEqual(
        Object.keys(Labels).map((name) => name.replace('org.opencontainers.image.', '')),
        ['base.name', 'description', 'licenses', 'revision', 'title', 'vendor', 'version'],
      );
      assert.equal(Labels['org.opencontainers.image.revision'], revision);
    }
  });

  test("the other daemons start in an image with machined's arguments, follow their node's network, and can keep a log", async () => {
    for (const daemon of ['apid', 'trustd', 'registryd'] as const) {
      const expected = daemonCommand({
        daemon,
        root: '',
        nodeBinary: '/usr/bin/node',
        servicesFolder: '/usr/lib/nodewright',
        listenAddress: daemon === 'registryd' ? '127.0.0.1:3172' : ':50001',
      });
      const folder = '/usr/lib/nodewright/follow-node';
      expected.splice(
        expected.indexOf(`/usr/lib/nodewright/${daemon}/${daemon}.cjs`),
        0,
        ...[
          ...[`--allow-fs-read=${folder}`, `--allow-fs-read=${dirname(nodePaths.startedFile)}`],
          `--allow-fs-read=/var/log/${daemon}`,
          `--allow-fs-write=/var/log/${daemon}`,
          `--require=${folder}/follow-node.cjs`,
        ],
      );
      // machined calls registryd, from a container of its own.
      if (daemon === 'registryd') expected.push('--shares-socket');
      assert.deepEqual((await inspect(daemon)).Entrypoint, expected);
    }
  });

  test("udevd-bridge starts in an image with machined's arguments, and shares its socket and its log", async () => {
    const expected = daemonCommand({
      daemon: 'udevd-bridge',
      root: '',
      nodeBinary: '/usr/bin/node',
      servicesFolder: '/usr/lib/nodewright',
      listenAddress: '',
    });
    const program = expected.indexOf('/usr/lib/nodewright/udevd-bridge/udevd-bridge.cjs');
    const folder = '/usr/lib/nodewright/follow-node';
    const log = [
      ...[`--allow-fs-read=${folder}`, `--allow-fs-read=${dirname(nodePaths.startedFile)}`],
      ...['--allow-fs-read=/var/log/udevd-bridge', '--allow-fs-write=/var/log/udevd-bridge'],
      `--require=${folder}/follow-node.cjs`,
    ];
    const { Entrypoint } = await inspect('udevd-bridge');
    assert.deepEqual(Entrypoint, [
      ...[...expected.slice(0, program), ...log, ...expected.slice(program), '--shares-socket'],
    ]);
  });

  test('daemons run under the permission model without child processes, and those that face the network without add-ons', async () => {
    // machined's add-on is for packet capture, and that of udevd-bridge for the events of devices. Each daemon drops the permission for foreign functions right
    // after its start.
    const ffi = '--allow-ffi';
    const expected = {
      machined: ['--allow-addons', ffi],
      apid: [ffi],
      trustd: [ffi],
      registryd: [ffi],
      'udevd-bridge': [ffi, '--allow-addons'],
    };
    for (const [service, flags] of Object.entries(expected)) {
      const { Entrypoint } = await inspect(service);
      const program = Entrypoint.findIndex((word) => word.endsWith(`/${service}.cjs`));
      const words = Entrypoint.slice(1, program);
      assert.ok(words.includes('--permission'), service);
      assert.deepEqual(
        words.filter((word) => /^--allow-/.test(word) && !/^--allow-(net$|fs-)/.test(word)),
        flags,
        service,
      );
    }
  });

  test('an image holds one program, and it runs without a shell and without privileges', async () => {
    for (const service of imageServices) {
      assert.deepEqual(await programsOf(nameOf(service)), ['usr/bin/node']);
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

/** Files that the kernel would execute: those with an executable bit, except libraries. */
async function programsOf(image: string): Promise<string[]> {
  return (await readFilesOf(image))
    .filter(({ header, name }) => {
      const mode = Number.parseInt(header.toString('latin1', 100, 107), 8);
      return (mode & 0o111) !== 0 && !/\.so(\.|$)/.test(name);
    })
    .map(({ name }) => name);
}
