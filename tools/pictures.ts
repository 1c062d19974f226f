// `make pictures`: makes the pictures of the README from a running cluster of processes, which it creates and removes, and those of a machine's
// screen from a machine. `node tools/pictures.ts [--only <name>,…]`. It needs tmux, Chromium for pictures of pages, and QEMU for a machine.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { clusterName, makers, type PictureShop, startJaeger, tracingVariables } from './pictures/makers.ts';
import { type PictureEntry, type PictureName, pictureList, pictureNames } from './pictures/picture-list.ts';
import { hashesFile, hashSources, readHashes } from './pictures/source-hashes.ts';

const checkout = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });

try {
  await makePictures(chosenNames(values.only));
} catch (error) {
  process.stderr.write(`pictures: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function chosenNames(only: string): readonly PictureName[] {
  const names = only.split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !Object.hasOwn(pictureList, name));
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${pictureNames.join(', ')}`);
  return names.length === 0 ? pictureNames : pictureNames.filter((name) => names.includes(name));
}

async function makePictures(names: readonly PictureName[]): Promise<void> {
  if (spawnSync('tmux', ['-V']).error !== undefined) throw new Error('tmux is missing: apt-get install tmux');
  const entries: readonly PictureEntry[] = names.map((name) => pictureList[name]);
  const needsCluster = entries.some(({ needsNoCluster }) => needsNoCluster !== true);
  const home = mkdtempSync(join(tmpdir(), 'pictures-'));
  const folder = join(checkout, 'docs', 'pictures');
  mkdirSync(folder, { recursive: true });
  using _jaeger = startJaeger({ checkout });
  using _contexts = keepContexts();
  const shop: PictureShop = {
    ...{ checkout, folder },
    environment: {
      ...{ HOME: home, PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}` },
      ...{ TERM: 'screen-256color', LANG: 'C.UTF-8', PS1: '$ ' },
      ...tracingVariables({ checkout }),
    },
  };
  try {
    if (needsCluster && !names.includes('make-up')) make(shop, 'up', 'PROVISIONER=process');
    for (const name of names) {
      const leftOut = await makers[name](shop);
      process.stdout.write(
        `${name}: ${leftOut === undefined ? pictureList[name].file : `left out: ${leftOut}`}\n`,
      );
      if (leftOut === undefined) noteSources(name);
    }
  } finally {
    if (needsCluster) make(shop, 'down');
    rmSync(home, { recursive: true, force: true });
  }
}

/** Writes down what the picture was made from, for `tests/house/pictures.test.ts`. */
function noteSources(name: PictureName): void {
  const path = join(checkout, hashesFile);
  const known = existsSync(path) ? readHashes(checkout) : {};
  const hashes = { ...known, [name]: hashSources(checkout, pictureList[name]) };
  const sorted = Object.fromEntries(
    pictureNames.flatMap((each) => (hashes[each] === undefined ? [] : [[each, hashes[each]]])),
  );
  writeFileSync(path, `${JSON.stringify(sorted, null, 2)}\n`);
}

/** A cluster becomes the current context: somebody else's is current again afterwards. */
function keepContexts(): Disposable {
  const path = join(checkout, '_out', 'talos', 'config');
  const before = existsSync(path) ? readFileSync(path) : undefined;
  return {
    [Symbol.dispose]() {
      if (before !== undefined) writeFileSync(path, before, { mode: 0o600 });
    },
  };
}

function make({ environment }: PictureShop, ...words: readonly string[]): void {
  const { status } = spawnSync('make', [...words, `cluster=${clusterName}`], {
    ...{ cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'], env: { ...environment } },
  });
  if (status !== 0) throw new Error(`make ${words.join(' ')} failed`);
}
