// `make image` builds only when the image would change, and never keeps an old image.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { ensureImage } from '../../rootfs/image/ensure-image.ts';
import { imageInputs } from '../../rootfs/image/image-inputs.ts';
import { signingKey } from '../../rootfs/signing/image-keys.ts';
import { artefacts, signImage } from '../../rootfs/signing/image-signatures.ts';

const work = mkdtempSync(join(tmpdir(), 'ensure-image-test-'));
after(() => rmSync(work, { recursive: true, force: true }));

/** An image of small files, whose inputs a test sets. */
function openImage() {
  const [folder, keys] = ['image-', 'keys-'].map((name) => mkdtempSync(join(work, name))) as [string, string];
  const state = { inputs: 'first', duringBuild: () => {} };
  const ensure = (key = signingKey(keys)) =>
    ensureImage({
      ...{ folder, key },
      inputs: () => state.inputs,
      build: async () => {
        for (const name of artefacts) writeFileSync(join(folder, name), `${name} of ${state.inputs}`);
        state.duringBuild();
        signImage(folder, key);
      },
    });
  return { folder, state, ensure };
}

test('ensureImage() builds at first, and again only when the inputs change', async () => {
  const { state, ensure } = openImage();
  const built = [await ensure(), await ensure()];
  state.inputs = 'second';
  built.push(await ensure(), await ensure());
  assert.deepEqual(built, [true, false, true, false]);
});

test('ensureImage() builds when a file is not as it was signed, and when the key is another one', async () => {
  const { folder, ensure } = openImage();
  await ensure();
  appendFileSync(join(folder, 'rootfs.squashfs'), 'x');
  assert.equal(await ensure(), true);
  rmSync(join(folder, 'disk.raw'));
  assert.equal(await ensure(), true);
  rmSync(join(folder, 'inputs.sha256.sig'));
  assert.equal(await ensure(), true);
  assert.equal(await ensure(), false);
  const otherKey = signingKey(mkdtempSync(join(work, 'keys-')));
  assert.equal(await ensure(otherKey), true);
});

test('ensureImage() builds again after a build that failed, or during which the inputs changed', async () => {
  const { state, ensure } = openImage();
  await ensure();
  state.inputs = 'second';
  state.duringBuild = () => {
    throw new Error('no space left');
  };
  await assert.rejects(ensure(), /no space left/);
  // The inputs are again those of the last complete build, whose files the failed one has overwritten.
  state.inputs = 'first';
  state.duringBuild = () => {
    state.inputs = 'third';
  };
  assert.equal(await ensure(), true);
  state.duringBuild = () => {};
  assert.equal(await ensure(), true);
  assert.equal(await ensure(), false);
});

test('imageInputs() changes with every file that is built from, and with no other', () => {
  const checkout = mkdtempSync(join(work, 'checkout-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    writeFileSync(join(checkout, path), text);
  };
  const sources = [
    ...['rootfs/init/init.c', 'rootfs/go/cni/.hidden', 'packages/disk/src/gpt.ts', 'tools/build.ts'],
    'packages/build/src/archives/tar.ts',
    ...['package.json', 'package-lock.json', '_out/dist/machined/machined.cjs'],
  ];
  for (const path of sources) write(path, 'first');
  const certificate = 'A1:B2';
  const digest = (other = {}) =>
    imageInputs(checkout, {
      epochSeconds: 1,
      certificate,
      extensions: [],
      kernel: 'cloud',
      hasKubernetes: false,
      ...other,
    });
  const seen = [
    ...[digest(), digest({ epochSeconds: 2 }), digest({ certificate: 'A1:B3' })],
    ...[digest({ kernel: 'full' }), digest({ hasKubernetes: true })],
    ...[['00'], ['00', '11'], ['11', '00']].map((extensions) => digest({ extensions })),
  ];
  for (const path of sources) {
    write(path, 'second');
    seen.push(digest());
  }
  rmSync(join(checkout, 'tools/build.ts'));
  seen.push(digest());
  assert.equal(new Set(seen).size, seen.length);
  for (const path of [
    ...['rootfs/README.md', 'packages/disk/src/gpt.test.ts', 'packages/disk/node_modules/x/index.js'],
    ...['_out/image/disk.raw', 'tests/boot/boot.test.ts', 'docs/image.md'],
  ])
    write(path, 'second');
  assert.equal(digest(), seen.at(-1));
});
