// Builds the images of the suite. `node tools/images.ts [--tag dev] [--arch amd64|arm64] [--no-cache]
// [--jaeger] [--etcd]` `--jaeger` makes only Jaeger's image: pulled, or built from its Go module when no
// registry answers. `--etcd` makes only the image of etcd, in the same way. `--checkout` builds from a copy
// of the files that the images are made of. The same commit gives the same image ids on every machine and
// with either builder of Docker.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Architecture, architectures, nativeArchitecture } from '@nodewright/build';
import { askEngine } from '@nodewright/provision/engine';
import { buildImages } from './images/build-images.ts';
import { ensureEtcdImage } from './images/ensure-etcd-image.ts';
import { ensureJaeger } from './images/ensure-jaeger.ts';
import { askGit, imageRevision } from './images/image-revision.ts';

const { values } = parseArgs({
  options: {
    tag: { type: 'string', default: 'dev' },
    arch: { type: 'string', default: nativeArchitecture() },
    'no-cache': { type: 'boolean', default: false },
    jaeger: { type: 'boolean', default: false },
    etcd: { type: 'boolean', default: false },
    checkout: { type: 'string', default: join(import.meta.dirname, '..') },
  },
});
const { checkout } = values;

try {
  if (!isArchitecture(values.arch)) throw new Error(`--arch is one of ${architectures.join(', ')}`);
  const answer = await askEngine();
  if (answer.state !== 'ready') throw new Error(answer.advice);
  if (values.jaeger) await ensureJaeger({ checkout, environment: process.env, note });
  if (values.etcd) await ensureEtcdImage({ checkout, note });
  if (!values.jaeger && !values.etcd) await buildAll(values.arch);
} catch (error) {
  process.stderr.write(`images: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

async function buildAll(architecture: Architecture): Promise<void> {
  const start = performance.now();
  const built = await buildImages({
    checkout,
    tag: values.tag,
    architecture,
    useCache: !values['no-cache'],
    epochSeconds: epochSeconds(),
    revision: imageRevision(checkout),
    note,
  });
  for (const { name, id } of built) process.stdout.write(`${name} ${id}\n`);
  note(`built ${built.length} for ${architecture} in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

function note(line: string): void {
  process.stdout.write(`images: ${line}\n`);
}

/** The modification time of every file in the images: the time of the commit. */
function epochSeconds(): number {
  return Number(process.env.SOURCE_DATE_EPOCH ?? askGit(checkout, 'log', '-1', '--format=%ct') ?? '0');
}

function isArchitecture(name: string): name is Architecture {
  return (architectures as readonly string[]).includes(name);
}
