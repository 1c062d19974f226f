// `make node-image`: packs the root file system of machines as a container image that is a whole node, without root. With
// `--kubernetes` the image also has the images of Kubernetes, and its nodes run a kubelet.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { nativeArchitecture, nodeImages } from '@nodewright/build';
import { askEngine } from '@nodewright/provision/engine';
import { stageRoot } from './build-rootfs.ts';
import { packNodeImage } from './node-image/pack-node-image.ts';
import { parts } from './recipe.ts';
import { signingKey } from './signing/image-keys.ts';
import { signFile } from './signing/image-signatures.ts';
import { keysFolder, megabytes, runBuild, unpackTools } from './workshop.ts';

async function main(checkout: string, hasKubernetes: boolean): Promise<void> {
  const note = (line: string) => void process.stdout.write(`node-image: ${line}\n`);
  const out = join(checkout, '_out', 'image');
  const work = mkdtempSync(join(tmpdir(), 'node-image-'));
  try {
    const workshop = { checkout, work, architecture: nativeArchitecture() };
    const tools = await unpackTools(workshop);
    const { root } = await stageRoot(workshop, tools, parts, note);
    note('packing');
    const { archive, manifestDigest } = await packNodeImage({ workshop, tools, root, hasKubernetes, note });
    const { name, file } = hasKubernetes ? nodeImages.kubernetes : nodeImages.plain;
    mkdirSync(out, { recursive: true });
    writeFileSync(join(out, file), Buffer.concat(archive));
    signFile(out, file, signingKey(keysFolder(checkout)));
    const bytes = archive.reduce((sum, { length }) => sum + length, 0);
    note(`${megabytes(bytes)}  ${join(out, file)}`);
    note(`manifest ${manifestDigest}`);
    await offerToEngine(name, archive, note);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Gives the image to the Docker engine of this machine. Without an engine it stays a file. */
async function offerToEngine(
  name: string,
  archive: readonly Buffer[],
  note: (line: string) => void,
): Promise<void> {
  const answer = await askEngine();
  if (answer.state !== 'ready') return note(`not loaded into an engine: ${answer.advice}`);
  const child = spawn('docker', ['load', '--quiet'], { stdio: ['pipe', 'ignore', 'inherit'] });
  const ended = once(child, 'close') as Promise<[number | null]>;
  await pipeline(Readable.from(archive), child.stdin);
  const [code] = await ended;
  if (code !== 0) throw new Error('the engine does not load the image');
  note(`loaded as ${name}`);
}

if (import.meta.main)
  await runBuild('node-image', () =>
    main(join(import.meta.dirname, '..'), process.argv.includes('--kubernetes')),
  );
