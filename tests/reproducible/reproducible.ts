// `make reproducible`: builds the image of the last commit twice from nothing but downloads, and compares all of its bytes. The builds
// differ in the folder, the user (as root), the umask, the time, the time zone, the locale and every temporary folder; both have the same keys, which are made for the comparison.
// With `PROGRAMS=cached` both have the Go programs that caches have.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { cacheFolder } from '@nodewright/build';
import { etcdGoPrograms } from '@nodewright/build/etcd';
import { secureBootKey } from '@nodewright/build/keys';
import { rootPrograms } from '../../rootfs/go/go-programs.ts';
import { signingKey } from '../../rootfs/signing/image-keys.ts';
import { packageCache } from '../../rootfs/workshop.ts';
import { reportCounts } from '../../tools/suites/suite-results.ts';
import { compareFolders, describeDifference } from './compare-folders.ts';
import { type Downloads, freshBuild, type Surroundings } from './fresh-build.ts';

const checkout = join(import.meta.dirname, '..', '..');
/** A comparison of two large images takes diffoscope minutes. */
const explainMs = 15 * 60_000;

const note = (line: string) => void process.stdout.write(`reproducible: ${line}\n`);
const textOf = (program: string, ...words: string[]) =>
  execFileSync(program, words, { cwd: checkout, encoding: 'utf8' }).trim();

/** An account that every Linux has and that owns nothing. */
const otherUser = { name: 'nobody', uid: 65_534, gid: 65_534 };

function surroundingsIn(work: string): readonly [Surroundings, Surroundings] {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) note('both builds are by this user: as root, the second one is by another');
  return [
    { folder: join(work, 'first'), umask: 0o022, timeZone: 'UTC', locale: 'C' },
    {
      ...{ folder: join(work, 'second/in/a/longer/path'), umask: 0o077, locale: 'C.UTF-8' },
      // A quarter of an hour beside the full hours, so that on most days the date is another one for some time.
      timeZone: 'Pacific/Chatham',
      ...(isRoot ? { user: otherUser } : {}),
    },
  ];
}

function findDownloads(): Downloads {
  const settings = ['GOPROXY', 'GOSUMDB', 'GONOSUMDB', 'GONOPROXY', 'GOPRIVATE', 'GOINSECURE'];
  const hasGo = spawnSync('go', ['version'], { cwd: tmpdir() }).status === 0;
  const ofGo = hasGo
    ? (JSON.parse(textOf('go', 'env', '-json', 'GOMODCACHE', ...settings)) as Record<string, string>)
    : {};
  const { GOMODCACHE = '', ...environment } = ofGo;
  return {
    packages: packageCache(),
    modules: join(GOMODCACHE, 'cache/download'),
    npm: textOf('npm', 'config', 'get', 'cache'),
    programs: process.env.PROGRAMS === 'cached' ? cachedPrograms() : [],
    environment: { ...environment, npm_config_registry: textOf('npm', 'config', 'get', 'registry') },
  };
}

/** The folders of the Go programs in the image, and of the licences of their modules. */
function cachedPrograms(): string[] {
  const names = [...Object.values(rootPrograms), ...Object.values(etcdGoPrograms)].map(({ name }) => name);
  return [...names, 'go-licences'].map((name) => join(cacheFolder(process.env), name));
}

/** Has diffoscope say how two files differ. */
function explain(name: string, first: string, second: string, folder: string): void {
  for (const [build, source] of [
    ['first', first],
    ['second', second],
  ] as const) {
    mkdirSync(dirname(join(folder, build, name)), { recursive: true });
    cpSync(join(source, name), join(folder, build, name));
  }
  const report = join(folder, `${name.replaceAll('/', '-')}.txt`);
  const words = ['--text', report, '--max-diff-block-lines', '200', '--max-text-report-size', '500000'];
  const files = ['first', 'second'].map((build) => join(folder, build, name));
  const { error, status, stderr } = spawnSync('diffoscope', [...words, ...files], {
    encoding: 'utf8',
    timeout: explainMs,
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT')
    note(`both are below ${folder}; diffoscope would say how they differ: apt-get install diffoscope`);
  // It ends with 1 when it has found differences.
  else if (status === 1) note(`diffoscope says how: ${report}`);
  else note(`diffoscope has not said how: ${error?.message ?? stderr.trim()}`);
}

// The second user must reach its folder; each build gets an umask of its own.
process.umask(0o022);
const changes = textOf('git', 'status', '--porcelain');
if (changes !== '') note('changes that are not committed are in neither build');
const work = mkdtempSync(join(tmpdir(), 'reproducible-'));
const removeWork = () => {
  // Go makes its cache of modules read-only.
  spawnSync('chmod', ['--recursive', 'u+w', work]);
  rmSync(work, { recursive: true, force: true });
};
// The programs of the build get the signal, too, and end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    removeWork();
    process.exit(1);
  });
try {
  // Keys of this comparison alone: the second user can read them, and nothing else trusts them.
  const keys = join(work, 'keys');
  signingKey(keys);
  secureBootKey(keys);
  chmodSync(work, 0o711);
  const downloads = findDownloads();
  const images: string[] = [];
  for (const surroundings of surroundingsIn(work)) {
    const { user, umask, folder } = surroundings;
    const who = user?.name ?? 'this user';
    note(
      `${new Date().toISOString()}: building in ${folder} as ${who}, umask ${umask.toString(8).padStart(3, '0')}`,
    );
    images.push(await freshBuild({ checkout, keys, downloads, surroundings }));
  }
  const [first = '', second = ''] = images;
  const rows = compareFolders(first, second);
  const differing = rows.filter((row) => row.kind !== 'same');
  const result = join(checkout, '_out/reproducible');
  rmSync(result, { recursive: true, force: true });
  for (const row of rows) {
    if (row.kind === 'same') note(`same: ${row.name}, ${row.bytes} bytes`);
    else note(describeDifference(row));
    if (row.kind === 'differs') explain(row.name, first, second, result);
  }
  const counts = { passed: rows.length - differing.length, failed: differing.length, skipped: 0 };
  await reportCounts(counts);
  process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  if (counts.failed > 0 || counts.passed === 0) process.exitCode = 1;
} finally {
  removeWork();
}
