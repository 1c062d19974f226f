// The same sources give the same images: built twice, by either builder, and for another architecture, too.
// Needs a Docker engine.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { type Architecture, nativeArchitecture } from '@nodewright/build';
import { askEngine, runDocker, tryDocker } from '@nodewright/provision/engine';
import { buildImages, type ImageService, imageServices } from '../../tools/images/build-images.ts';
import { ensureBase } from '../../tools/images/ensure-base.ts';
import { saveNormalised } from '../../tools/images/save-normalised.ts';
import { copyCheckout } from './copy-checkout.ts';
import { readFilesOf } from './read-files-of.ts';

const checkout = join(import.meta.dirname, '..', '..');
const copy = copyCheckout();
after(() => copy[Symbol.dispose]());
const tag = `same-${process.pid}`;
const otherTag = `${tag}-other`;
const nameOf = (service: string) => `nodewright/${service}:${tag}`;
const native = nativeArchitecture();
const other: Architecture = native === 'amd64' ? 'arm64' : 'amd64';
const engine = await askEngine();
const epochSeconds = 1_700_000_000;
const revision = '0123456789abcdef';
const note = () => {};

const build = (useCache: boolean, services: readonly ImageService[], architecture = native) =>
  buildImages({
    checkout: copy.path,
    tag,
    architecture,
    useCache,
    services,
    epochSeconds,
    revision,
    note,
  });

suite('the same images', { skip: engine.state === 'ready' ? false : engine.advice }, () => {
  let built: Awaited<ReturnType<typeof build>> = [];
  before(async () => {
    built = await build(true, imageServices);
  });
  after(async () => {
    const names = imageServices.flatMap((service) => [
      nameOf(service),
      `${nameOf(service)}-${other}`,
      `nodewright/${service}:${otherTag}`,
    ]);
    await tryDocker(['rmi', '--force', ...names]);
  });

  test('are the same from a build without a cache', async () => {
    const again = await build(false, ['apid', 'toolbox']);
    assert.equal(again.length, 2);
    for (const image of again)
      assert.deepEqual(
        image,
        built.find(({ name }) => name === image.name),
      );
  });

  test('are the same from the builder of docker compose', async () => {
    const base = await ensureBase({ architecture: native, epochSeconds, note });
    const file = join(checkout, 'compose.yaml');
    await runDocker(
      [
        ...['compose', '--project-directory', copy.path, '--file', file, '--ansi', 'never'],
        ...['build', '--quiet', '--build-arg', `BASE=${base}`, '--build-arg', `REVISION=${revision}`],
      ],
      { environment: { ...process.env, NODEWRIGHT_TAG: otherTag } },
    );
    const names = new Map(
      imageServices.map((service) => [`nodewright/${service}:${otherTag}`, nameOf(service)]),
    );
    const { images } = await saveNormalised({ names, architecture: native, epochSeconds });
    assert.deepEqual([...images].sort(byName), [...built].sort(byName));
  });

  test(`contain machine code for ${other} when they are built for it`, async () => {
    const services = ['apid', 'machined'] as const;
    const foreign = await build(false, services, other);
    assert.deepEqual(
      foreign.map(({ name }) => name),
      services.map((service) => `${nameOf(service)}-${other}`),
    );
    for (const { name } of foreign) {
      const shown = await runDocker(['image', 'inspect', '--format', '{{.Os}}/{{.Architecture}}', name]);
      assert.equal(shown.trim(), `linux/${other}`);
      const code = (await readFilesOf(name))
        .map((file) => ({ path: file.name, machine: machineOf(file.data) }))
        .filter(({ machine }) => machine !== undefined);
      assert.ok(code.some(({ path }) => path === 'usr/bin/node'));
      assert.ok(code.some(({ path }) => path === (other === 'arm64' ? 'lib' : 'lib64') + loaderOf[other]));
      assert.deepEqual(
        code.filter(({ machine }) => machine !== machines[other]),
        [],
        name,
      );
    }
  });
});

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

/** The field `e_machine` of ELF. */
const machines = { amd64: 62, arm64: 183 };
const loaderOf = { amd64: '/ld-linux-x86-64.so.2', arm64: '/ld-linux-aarch64.so.1' };

function machineOf(data: Buffer): number | undefined {
  return data.length > 20 && data.readUInt32BE(0) === 0x7f454c46 ? data.readUInt16LE(18) : undefined;
}
