import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultKubernetesVersion } from '@nodewright/machine-config/generate-options';
import { builtKubernetesVersion } from '@nodewright/provision/kubernetes-programs';
import { BuildProgress } from './build-progress.ts';
import { roomProblem } from './check-room.ts';
import { endToEndParts } from './end-to-end-parts.ts';
import { ensureKubernetes } from './ensure-kubernetes.ts';
import { addonParts, type KubernetesPart, kubernetesParts } from './parts.ts';

const gibibyte = 1024 ** 3;
const cost = { memoryBytes: 3 * gibibyte, diskBytes: 5 * gibibyte, sizeBytes: 1, minutes: 15 };

test('the version that is built and tested is the one that the lock files pin', () => {
  for (const folder of ['wrapper', endToEndParts.e2e.wrapper]) {
    const read = (name: string) => readFileSync(join(import.meta.dirname, folder, name), 'utf8');
    assert.ok(read('go.mod').includes(`k8s.io/kubernetes v${builtKubernetesVersion}\n`));
    assert.ok(read('go.sum').includes(`k8s.io/kubernetes v${builtKubernetesVersion} h1:`));
  }
  assert.match(
    kubernetesParts.kube.program.flags.join(' '),
    new RegExp(`gitVersion=v${builtKubernetesVersion} `),
  );
});

test('gen config writes the version that is built and tested, and no release candidate', () => {
  assert.equal(defaultKubernetesVersion, builtKubernetesVersion);
  assert.match(defaultKubernetesVersion, /^\d+\.\d+\.\d+$/);
});

test('the versions of CoreDNS and flannel, which tags of images say, are those that the lock files pin', () => {
  for (const { program, wrapper } of Object.values(addonParts)) {
    const module = wrapper === 'flannel' ? 'flannel-io/flannel' : 'coredns/coredns';
    const read = (name: string) => readFileSync(join(import.meta.dirname, wrapper, name), 'utf8');
    assert.match(read('go.mod'), new RegExp(`github\\.com/${module} ${program.version}( |\\n)`));
    assert.ok(read('go.sum').includes(`github.com/${module} ${program.version} h1:`));
  }
});

test('roomProblem() names what is needed and what is there, and accepts what suffices', () => {
  assert.equal(
    roomProblem('kube', cost, { availableMemoryBytes: gibibyte, freeDiskBytes: 4.25 * gibibyte }),
    'building kube needs 3.0 GiB of memory, and 1.0 GiB are available; 5.0 GiB of disk space for the cache of Go, and 4.3 GiB are free',
  );
  assert.equal(
    roomProblem('kube', cost, { availableMemoryBytes: 3 * gibibyte, freeDiskBytes: 5 * gibibyte }),
    undefined,
  );
});

test('BuildProgress prints a line in every quarter of a minute, with the minutes that are left', () => {
  let now = 0;
  const progress = new BuildProgress('kube', () => now);
  assert.equal(progress.line({ compiled: 1, packages: 100 }), undefined);
  now = 60_000;
  assert.equal(
    progress.line({ compiled: 20, packages: 100 }),
    'kube: 20 of 100 packages compiled, at most 4 min left',
  );
  now = 70_000;
  assert.equal(progress.line({ compiled: 25, packages: 100 }), undefined);
});

/** A checkout with an empty cache, and a `go` that is a shell script and prints its calls into a file. */
function openFolders(change: Partial<KubernetesPart> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ensure-kubernetes-'));
  const programs = join(folder, 'bin');
  mkdirSync(programs);
  const go = `#!/bin/sh
echo "$1" >> ${folder}/calls
echo "$*" >> ${folder}/lines
case "$1 $2" in
  "env GOVERSION") echo go1.26.7 ;;
  "env GOCACHE") echo ${folder}/not/there ;;
  "list -deps") printf 'a\\tfalse\\nb\\ttrue\\nunsafe\\t\\n'
    [ "$3" != -test ] || printf 'a [a.test]\\tfalse\\na.test\\tfalse\\n' ;;
  "build -v") printf 'a\\nb\\n' >&2 ;;
  "mod download") echo '{ "Dir": "${folder}/module" }' ;;
  build*|"test -c")
    while [ "$1" != -o ]; do shift; done
    if grep -qs '^// of a module' main.go; then cp main.go "$2"; else echo built > "$2"; fi ;;
esac
`;
  writeFileSync(join(programs, 'go'), go);
  chmodSync(join(programs, 'go'), 0o755);
  const { toolchain: _, ...program } = kubernetesParts.kube.program;
  const part = {
    ...kubernetesParts.kube,
    program,
    cost: { ...cost, memoryBytes: 1, diskBytes: 1 },
    ...change,
  };
  const notes: string[] = [];
  const cache = join(folder, 'cache');
  return {
    folder,
    notes,
    lines: () => readFileSync(join(folder, 'lines'), 'utf8').trim().split('\n'),
    calls: () => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n'),
    ensure: () =>
      ensureKubernetes({
        checkout: folder,
        environment: { PATH: `${programs}:/usr/bin:/bin` },
        note: (line) => notes.push(line),
        caches: { writable: cache, readable: [cache] },
        parts: { kube: part },
      }),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

test('ensureKubernetes() compiles, links once, and gives every program a name', async () => {
  using folders = openFolders();
  const first = await folders.ensure();
  assert.deepEqual(first.built, ['kube']);
  const targets = kubernetesParts.kube.names.map((name) => readlinkSync(join(first.folder, name)));
  assert.equal(new Set(targets).size, 1);
  assert.equal(readFileSync(join(first.folder, 'kubectl'), 'utf8'), 'built\n');
  const calls = folders.calls().filter((call) => call !== 'env');
  assert.deepEqual(calls, ['list', 'build', 'build']);
  assert.match(folders.notes.join('\n'), /about 15 minutes/);
  assert.deepEqual(await folders.ensure(), { ...first, built: [] });
  assert.deepEqual(
    folders.calls().filter((call) => call !== 'env'),
    calls,
  );
});

test('ensureKubernetes() builds the program of the tests of a package, and names only packages that go.mod requires', async () => {
  const { toolchain: _, ...program } = kubernetesParts.kube.program;
  using folders = openFolders({ program: { ...program, flags: [], isTest: true } });
  await folders.ensure();
  const lines = folders.lines().filter((line) => !line.startsWith('env'));
  assert.deepEqual(lines.slice(1, 2), ['build -v a']);
  assert.match(lines[2] ?? '', /^test -c -vet=off -o \S+ \.$/);
});

test('ensureKubernetes() refuses before it builds anything when there is no room', async () => {
  using folders = openFolders({ cost: { ...cost, memoryBytes: 1e18 } });
  await assert.rejects(folders.ensure(), {
    message: /^building kube needs .* of memory, and .* are available$/,
  });
  assert.ok(!folders.calls().includes('build'));
});

test('ensureKubernetes() builds a program from the main.go of its module without some imports, or says that it has none', async () => {
  const copiedMain = { module: 'example.org/tool', withoutImports: ['example.org/tool/b'] };
  const { toolchain: _, ...program } = kubernetesParts.kube.program;
  using folders = openFolders({ program: { ...program, copiedMain }, names: ['tool'] });
  mkdirSync(join(folders.folder, 'module'));
  const main = '// of a module\n\t_ "example.org/tool/a"\n\t_ "example.org/tool/b"\n';
  writeFileSync(join(folders.folder, 'module/main.go'), main.replace('tool/b', 'tool/c'));
  await assert.rejects(folders.ensure(), {
    message: 'main.go of example.org/tool does not import each of example.org/tool/b',
  });
  writeFileSync(join(folders.folder, 'module/main.go'), main);
  const { folder } = await folders.ensure();
  assert.equal(readFileSync(join(folder, 'tool'), 'utf8'), '// of a module\n\t_ "example.org/tool/a"\n');
});
