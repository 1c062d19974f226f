// Makes the images of the suite. `node tools/images.ts [--tag dev] [--arch amd64|arm64] [--no-cache]`
// The same commit gives the same image ids: on this machine, on another, with either builder of Docker.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { askEngine } from '../packages/provision/src/docker/ask-engine.ts';
import { type Architecture, architectures, nativeArchitecture } from './images/architecture.ts';
import { buildImages } from './images/build-images.ts';

const { values } = parseArgs({
  options: {
    tag: { type: 'string', default: 'dev' },
    arch: { type: 'string', default: nativeArchitecture() },
    'no-cache': { type: 'boolean', default: false },
  },
});
const checkout = join(import.meta.dirname, '..');

try {
  if (!isArchitecture(values.arch)) throw new Error(`--arch is one of ${architectures.join(', ')}`);
  const answer = await askEngine();
  if (answer.state !== 'ready') throw new Error(answer.advice);
  const start = performance.now();
  const built = await buildImages({
    checkout,
    tag: values.tag,
    architecture: values.arch,
    useCache: !values['no-cache'],
    epochSeconds: epochSeconds(),
    revision: git('rev-parse', 'HEAD') ?? 'unknown',
    note: (line) => process.stdout.write(`images: ${line}\n`),
  });
  for (const { name, id } of built) process.stdout.write(`${name} ${id}\n`);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(`images: built ${built.length} for ${values.arch} in ${seconds} s\n`);
} catch (error) {
  process.stderr.write(`images: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

/** The time that every file of the images carries: that of the commit. */
function epochSeconds(): number {
  return Number(process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct') ?? '0');
}

function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: checkout, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    // A tarball, or no commit yet.
    return undefined;
  }
}

function isArchitecture(name: string): name is Architecture {
  return (architectures as readonly string[]).includes(name);
}
