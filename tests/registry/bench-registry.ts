// `make bench-registry`: 8 pulls of a 500 MB image at once, and the time of skopeo beside the same files from nginx.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { digestOf, mediaTypes } from '@nodewright/oci';
import { registry, startRegistryd } from '../contract/registryd/harness.ts';
import { missingProgram, runProgram } from './run-program.ts';
import { type ServedImage, startNginx } from './start-nginx.ts';

const repository = 'team/app';
const pulls = 8;
const layers = 5;
const layerBytes = 100_000_000;
const rounds = 7;
const limits = { residentMib: 100, ratio: 1.25 };

function makeImage(): ServedImage {
  const contents = Array.from({ length: layers }, () => randomBytes(layerBytes));
  const diffIds = contents.map(digestOf);
  const config = Buffer.from(
    JSON.stringify({ architecture: 'amd64', os: 'linux', rootfs: { type: 'layers', diff_ids: diffIds } }),
  );
  const describe = (mediaType: string, bytes: Buffer) => ({
    ...{ mediaType, digest: digestOf(bytes), size: bytes.length },
  });
  const bytes = Buffer.from(
    JSON.stringify({
      ...{ schemaVersion: 2, mediaType: mediaTypes.manifest, config: describe(mediaTypes.config, config) },
      layers: contents.map((content) => describe(mediaTypes.layer, content)),
    }),
  );
  const blobs = new Map([config, ...contents].map((content) => [digestOf(content), content]));
  return { repository, manifest: { digest: digestOf(bytes), bytes }, blobs };
}

/** Reads a URL to its end, without keeping it. */
function drain(url: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  get(url, { agent: false }, (response) => {
    let count = 0;
    response.on('data', (chunk: Buffer) => {
      count += chunk.length;
    });
    response.on('error', reject);
    response.on('end', () => resolve(count));
  }).on('error', reject);
  return promise;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const say = (line: string) => void process.stdout.write(`${line}\n`);
const peakMib = (pid: number) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

for (const [program, name] of [
  ['skopeo', 'skopeo'],
  ['nginx', 'nginx-light'],
] as const) {
  const missing = await missingProgram(program, name);
  if (missing !== undefined) throw new Error(missing);
}
const folder = mkdtempSync(join(tmpdir(), 'bench-registry-'));
const problems: string[] = [];
try {
  say(`making an image of ${(layers * layerBytes) / 1e6} MB`);
  const image = makeImage();
  await using nginx = await startNginx(folder, image);
  await using registryd = await startRegistryd({ mirror: `http://127.0.0.1:${nginx.port}` });

  const start = performance.now();
  const counts = await Promise.all(
    Array.from({ length: pulls }, async () => {
      await drain(`http://127.0.0.1:${registryd.port()}/v2/${repository}/manifests/v1?ns=${registry}`);
      const blobs = [...image.blobs.keys()].map((digest) =>
        drain(`http://127.0.0.1:${registryd.port()}/v2/${repository}/blobs/${digest}?ns=${registry}`),
      );
      return (await Promise.all(blobs)).reduce((sum, each) => sum + each, 0);
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const expected = [...image.blobs.values()].reduce((sum, { length }) => sum + length, 0);
  const peak = peakMib(registryd.process().pid);
  const fetches = [...image.blobs.keys()].map(
    (digest) => nginx.requests().filter((path) => path.includes(digest)).length,
  );
  const total = counts.reduce((sum, each) => sum + each, 0);
  say(`${pulls} pulls at once: ${seconds.toFixed(1)} s, ${Math.round(total / 1e6 / seconds)} MB/s in sum`);
  say(`  downloads of each blob: ${fetches.join(', ')}; peak resident memory ${peak.toFixed(1)} MiB`);
  if (counts.some((count) => count !== expected)) problems.push('a pull is not whole');
  if (fetches.some((count) => count !== 1)) problems.push('a blob was downloaded more than once');
  if (peak > limits.residentMib) problems.push(`more than ${limits.residentMib} MiB resident`);

  const copy = async (source: string) => {
    const target = join(folder, 'copy');
    rmSync(target, { recursive: true, force: true });
    const begun = performance.now();
    const { code, output } = await runProgram('skopeo', [
      ...['copy', '--src-tls-verify=false', '--preserve-digests', `docker://${source}:v1`, `dir:${target}`],
    ]);
    if (code !== 0) throw new Error(output);
    return (performance.now() - begun) / 1000;
  };
  const times: Record<'nginx' | 'registryd', number[]> = { nginx: [], registryd: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.nginx.push(await copy(`127.0.0.1:${nginx.port}/${repository}`));
    times.registryd.push(await copy(`127.0.0.1:${registryd.port()}/${registry}/${repository}`));
  }
  const ratio = median(times.registryd) / median(times.nginx);
  for (const [name, values] of Object.entries(times))
    say(
      `skopeo copy from ${name}: median ${median(values).toFixed(2)} s of ${values.map((v) => v.toFixed(2)).join(', ')}`,
    );
  say(`ratio ${ratio.toFixed(2)}`);
  if (ratio > limits.ratio)
    problems.push(`skopeo takes more than ${limits.ratio} times as long as from nginx`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) say(`over the limit: ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
