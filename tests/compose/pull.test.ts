// Tests the case in which images can be pulled: an engine without images, and the public base images under
// their public names, from a registry that replaces Docker Hub. Needs a Docker engine, root, and
// docker-registry.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { nativeArchitecture } from '@nodewright/build';
import { runDocker, tryDocker } from '@nodewright/provision/engine';
import { imageServices } from '../../tools/images/build-images.ts';
import { ensureBase, publicBase } from '../../tools/images/ensure-base.ts';
import { jaegerImage } from '../../tools/images/ensure-jaeger.ts';
import { copyCheckout } from './copy-checkout.ts';
import { reasonToSkip } from './reason-to-skip.ts';
import { openTestEngine, type TestEngine } from './test-engine.ts';
import { openTestRegistry, type TestRegistry } from './test-registry.ts';

const checkout = join(import.meta.dirname, '..', '..');
const architecture = nativeArchitecture();
const base = publicBase(architecture);
const copy = copyCheckout();
after(() => copy[Symbol.dispose]());
const tag = `pulled-${process.pid}`;

async function reasonToSkipPull(): Promise<string | false> {
  if (process.getuid?.() !== 0) return 'only root can start an engine of its own';
  for (const program of ['dockerd', 'docker-registry'])
    if (spawnSync(program, ['--version']).error !== undefined) return `${program} is not installed`;
  return reasonToSkip();
}

/** The output of the tool: a line per step, and the images with their ids. */
async function makeImages(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<string[]> {
  const tool = [join(checkout, 'tools', 'images.ts'), '--checkout', copy.path, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, tool, {
    env: { ...environment, SOURCE_DATE_EPOCH: '1700000000' },
  });
  return stdout.trim().split('\n');
}
const idsOf = (lines: string[]) => lines.filter((line) => line.includes('sha256:'));

suite('an engine that can pull', { skip: await reasonToSkipPull() }, () => {
  let registry: TestRegistry;
  let engine: TestEngine;
  const scope = new AsyncDisposableStack();
  before(async () => {
    registry = scope.use(await openTestRegistry());
    const madeHere = await ensureBase({ architecture, epochSeconds: 0, note: () => {} });
    await registry.fill(madeHere, `library/${base}`);
    await registry.fill(jaegerImage, jaegerImage);
    engine = scope.use(await openTestEngine(registry.url));
  });
  after(async () => {
    await tryDocker(['rmi', '--force', ...imageServices.map((service) => `nodewright/${service}:${tag}`)]);
    await scope.disposeAsync();
  });
  const docker = (...args: string[]) =>
    runDocker(args, { environment: engine.environment, workingDirectory: copy.path });
  const askedFor = (name: string) => {
    const manifests = registry.served().filter((request) => request.includes(`/v2/${name}/manifests/`));
    return manifests.filter((request) => !request.startsWith('PUT ')).length;
  };

  test('docker build makes an image that runs, from a base that it pulls itself', async () => {
    assert.equal(await docker('images', '--quiet'), '');
    assert.equal(askedFor('library/node'), 0);
    const file = join('services', 'trustd', 'Dockerfile');
    await docker('build', '--quiet', '--file', file, '--tag', 'plain', '.');
    assert.ok(askedFor('library/node') > 0);
    assert.match(await docker('run', '--rm', '--network=none', 'plain', '--version'), /^trustd v\d/);
  });

  test('the tool pulls Jaeger instead of building it', async () => {
    assert.deepEqual(await makeImages(engine.environment, '--jaeger'), [`images: pulled ${jaegerImage}`]);
    assert.ok(askedFor('jaegertracing/jaeger') > 0);
  });

  test('the tool pulls the base and makes the same images as on a machine that cannot pull', async () => {
    await docker('rmi', '--force', 'plain', base);
    const before = askedFor('library/node');
    const pulled = await makeImages(engine.environment, '--tag', tag);
    assert.equal(pulled[0], `images: pulled ${base}`);
    assert.ok(askedFor('library/node') > before);
    assert.equal(idsOf(pulled).length, imageServices.length);
    assert.deepEqual(idsOf(pulled), idsOf(await makeImages(process.env, '--tag', tag)));
  });

  test('docker compose builds the images that it runs with its own builder', async () => {
    await docker('rmi', '--force', base);
    const before = askedFor('library/node');
    const file = join(checkout, 'compose.yaml');
    await docker(
      'compose',
      '--project-directory',
      copy.path,
      '--file',
      file,
      '--ansi',
      'never',
      'build',
      '--quiet',
    );
    assert.ok(askedFor('library/node') > before);
  });

  test('no image of the engine was made by other means', async () => {
    const names = (await docker('images', '--format', '{{.Repository}}')).trim().split('\n');
    const own = imageServices.map((service) => `nodewright/${service}`);
    const expected = [...own, 'jaegertracing/jaeger'].sort();
    assert.deepEqual(
      [...new Set(names)].filter((name) => name !== 'node' && name !== '<none>').sort(),
      expected,
    );
  });
});
