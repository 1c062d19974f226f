import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { exactGo } from './exact-toolchain.ts';

const toolchain = { version: 'go1.26.10', sums: { amd64: 'h1:right=', arm64: 'h1:right=' } };

/** A `go` that has settings, and says that it fetched a toolchain of these files with this checksum. */
function openFolder(answer: Readonly<Record<string, string>>, exitCode = 0) {
  const folder = mkdtempSync(join(tmpdir(), 'exact-toolchain-'));
  const files = [
    'bin/go',
    'pkg/tool/linux_amd64/compile',
    'src/_go.mod',
    'src/cmd/_go.mod',
    'src/fmt/print.go',
  ];
  for (const name of files) {
    mkdirSync(dirname(join(folder, 'fetched', name)), { recursive: true });
    writeFileSync(join(folder, 'fetched', name), name, { mode: 0o444 });
  }
  chmodSync(join(folder, 'fetched/src'), 0o555);
  const said = JSON.stringify({ Dir: join(folder, 'fetched'), ...answer });
  const settings = '{"GOPROXY": "https://proxy.example", "GOCACHE": "/cache"}';
  const go = join(folder, 'go');
  writeFileSync(
    go,
    `#!/bin/sh\n[ "$1" = env ] && { echo '${settings}'; exit; }\necho '${said}'; exit ${exitCode}\n`,
  );
  chmodSync(go, 0o755);
  return {
    go,
    fetched: join(folder, 'fetched'),
    [Symbol.dispose]() {
      chmodSync(join(folder, 'fetched/src'), 0o755);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

test('exactGo() makes the fetched toolchain one that runs, once and again', () => {
  using folder = openFolder({ Sum: 'h1:right=' });
  for (let round = 0; round < 2; round += 1)
    assert.equal(exactGo(folder.go, toolchain, process.env).go, join(folder.fetched, 'bin/go'));
  assert.ok(existsSync(join(folder.fetched, 'src/cmd/go.mod')));
  assert.equal(statSync(join(folder.fetched, 'src')).mode & 0o777, 0o555);
  const isProgram = (name: string) => (statSync(join(folder.fetched, name)).mode & 0o111) !== 0;
  assert.ok(isProgram('bin/go') && isProgram('pkg/tool/linux_amd64/compile'));
  assert.ok(!isProgram('src/fmt/print.go'));
});

test('exactGo() keeps the proxy and the caches of the machine, and nothing that changes a program', () => {
  using folder = openFolder({ Sum: 'h1:right=' });
  const changing = { GOFLAGS: '-race', GOAMD64: 'v3', CGO_CFLAGS: '-O0', CC: 'tcc', GOROOT: '/usr/lib/go' };
  const { environment } = exactGo(folder.go, toolchain, { PATH: process.env.PATH, ...changing });
  assert.deepEqual(environment, {
    ...{ PATH: process.env.PATH, GOPROXY: 'https://proxy.example', GOCACHE: '/cache', GOENV: 'off' },
  });
});

test('exactGo() refuses another checksum, and says why nothing was fetched', () => {
  using wrong = openFolder({ Sum: 'h1:wrong=' });
  assert.throws(() => exactGo(wrong.go, toolchain, process.env), /checksum h1:wrong= instead of h1:right=$/);
  using absent = openFolder({ Error: 'no such host' }, 1);
  assert.throws(() => exactGo(absent.go, toolchain, process.env), {
    message: 'go1.26.10 cannot be fetched: no such host',
  });
});
