// What the wrappers of Go programs say, and what is built from them; tests/rootfs/programs runs the programs.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { goRelease } from '@nodewright/build/go';
import { type RootProgram, rootPrograms } from '../../rootfs/go/go-programs.ts';
import { linkedModules } from '../../rootfs/go/linked-modules.ts';
import { moduleLicence } from '../../rootfs/go/module-licences.ts';
import { parts } from '../../rootfs/recipe.ts';

const programs: readonly RootProgram[] = Object.values(rootPrograms);
const packagesOf = (program: RootProgram) => [program.package].flat();
/** Those of other projects: their wrappers have no code. */
const foreign = programs.filter(({ package: built }) => built !== '.');
/** What the linker calls a program. */
const fileOf = (program: RootProgram, path: string) => (path === '.' ? program.name : basename(path));
const wrapperFile = ({ wrapper }: RootProgram, name: string) =>
  readFileSync(join(import.meta.dirname, '../../rootfs/go', wrapper, name), 'utf8');

test('each wrapper requires the version that its programs tell, and go.sum has its digest', () => {
  for (const program of foreign) {
    const required = `${program.module} ${program.version}`;
    assert.ok(wrapperFile(program, 'go.mod').includes(`\t${required} // indirect\n`), required);
    assert.match(wrapperFile(program, 'go.sum'), new RegExp(`^${required} h1:`, 'm'));
  }
});

test('each wrapper lists the packages that are built from it, and no other', () => {
  for (const [wrapper, members] of Map.groupBy(foreign, (program) => program.wrapper)) {
    const [first] = members;
    assert.ok(first !== undefined);
    const text = wrapperFile(first, 'go.mod').split('require (')[0] ?? '';
    const listed = [...text.matchAll(/^(?:tool |\t)([\w./-]+)$/gm)].map(([, path]) => path);
    assert.deepEqual(listed.sort(), members.flatMap(packagesOf).sort(), wrapper);
  }
});

test('the chosen Go is not older than a wrapper wants', () => {
  const patch = Number(/^go1\.26\.(\d+)$/.exec(goRelease.version)?.[1]);
  for (const program of programs) {
    const [, wanted] = /^go 1\.26\.(\d+)$/m.exec(wrapperFile(program, 'go.mod')) ?? [];
    assert.ok(Number(wanted) <= patch, program.name);
  }
});

test('every program that is built is in the root, and nothing of it depends on who builds it', () => {
  const placed = parts.flatMap(({ source, files }) => (source.kind === 'go' ? files : []));
  const built = programs.flatMap((program) => packagesOf(program).map((path) => fileOf(program, path)));
  assert.deepEqual(placed.toSorted(), built.sort());
  for (const { name, flags, usesC, environment } of programs) {
    for (const flag of ['-trimpath', '-buildvcs=false', '-buildmode=pie'])
      assert.ok(flags.includes(flag), `${name} ${flag}`);
    assert.match(flags.at(-1) ?? '', /^-s -w -buildid= -bindnow( |$)/, name);
    assert.equal(environment?.CGO_ENABLED, usesC ? '1' : undefined, name);
  }
});

/** What Go writes into a program about its modules. */
function programWith(text: string): Buffer {
  const lengthOf = (words: string) => [(words.length & 0x7f) | 0x80, words.length >> 7];
  const marked = `${'<'.repeat(16)}${text}${'>'.repeat(16)}`;
  const version = 'go1.26.10';
  return Buffer.concat([
    // The magic at an odd place is not the header.
    ...[Buffer.from('\x7fELF...\xff Go buildinf:', 'latin1'), Buffer.alloc(11)],
    Buffer.from('\xff Go buildinf:\x08\x02'.padEnd(32, '\0'), 'latin1'),
    ...[version, marked].map((words) => Buffer.from([...lengthOf(words), ...Buffer.from(words)])),
  ]);
}

test('linkedModules() reads what a program says, and refuses one that says nothing', () => {
  const text = 'path\ta/cmd\nmod\ta\tv2\th1:x=\ndep\tb/c\tv0.1.0-20260101\th1:y=\ndep\td\tv3\th1:z=\n';
  const program = programWith(text);
  assert.deepEqual(linkedModules(program), [
    { path: 'b/c', version: 'v0.1.0-20260101' },
    { path: 'd', version: 'v3' },
  ]);
  assert.throws(() => linkedModules(program.subarray(0, -1)), /truncated/);
  assert.throws(() => linkedModules(Buffer.from('\x7fELF')), /not a Go program/);
});

test('moduleLicence() has the texts of a module and of the code of others in it, its own first', () => {
  const folder = mkdtempSync(join(tmpdir(), 'module-'));
  try {
    assert.equal(moduleLicence(folder), undefined);
    const files = {
      ...{ 'a/LICENSE.txt': 'of a', NOTICE: 'notice\n\n', LICENSE: 'own', 'license.go': 'package a' },
      ...{ 'testdata/LICENSE': 'of nobody', 'LICENSED.md': 'no licence' },
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const own = 'LICENSE:\n\nown\n\nNOTICE:\n\nnotice\n';
    assert.equal(moduleLicence(folder), `${own}\na/LICENSE.txt:\n\nof a\n`);
    assert.equal(moduleLicence(folder, '*'), own);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
