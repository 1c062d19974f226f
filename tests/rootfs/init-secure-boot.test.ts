// Whether the init takes a machine for one with Secure Boot: its own code, compiled for a folder of the test.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const checkout = join(import.meta.dirname, '../..');
const work = mkdtempSync(join(tmpdir(), 'init-secure-boot-'));
after(() => rmSync(work, { recursive: true }));

const hasCompiler = spawnSync('cc', ['--version']).status === 0;
if (!hasCompiler && process.env.CI === 'true') throw new Error('CI needs a C compiler, as cc');
const skip = hasCompiler ? false : 'there is no C compiler, as cc';

/** The status of the program is the decision. Whether efivarfs is mounted is compiled in. */
const harness = `
#define start startMachine
#include "${join(checkout, 'rootfs/init/init.c')}"
#undef start
__attribute__((noreturn, used)) void start(void) {
  variablesError = VARIABLES_ERROR;
  for (;;) endProcess(isSecureBootOn());
}
`;

function compile(name: string, variablesError: number): string {
  const program = join(work, name);
  const source = `${program}.c`;
  writeFileSync(source, harness);
  const settings = ['ETCD_IMAGE=""', 'KUBELET=""', 'EFI_FOLDER="efi"', `VARIABLES_ERROR=${variablesError}`];
  const flags = [
    ...['-Os', '-ffreestanding', '-fno-builtin', '-fno-tree-loop-distribute-patterns'],
    ...['-fno-stack-protector', '-fno-pie', '-no-pie', '-static', '-nostdlib'],
  ];
  const { status, stderr } = spawnSync(
    'cc',
    [...flags, ...settings.map((each) => `-D${each}`), source, '-o', program],
    { encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
  return program;
}

test('the init takes Secure Boot for off only when the variable says so, when it is absent from efivarfs, and under a BIOS', {
  skip,
}, () => {
  const mounted = compile('mounted', 0);
  const unmounted = compile('unmounted', -19);
  const variable = 'efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c';
  const folder = 'a folder, which cannot be read as a file';
  const rows: [string, string, string | undefined, string | undefined, number][] = [
    ['a BIOS', unmounted, undefined, undefined, 0],
    ['off', mounted, variable, '\x06\0\0\0\0', 0],
    ['on', mounted, variable, '\x06\0\0\0\x01', 1],
    ['absent from efivarfs', mounted, 'efi/efivars/Other', '', 0],
    ['no efivarfs', unmounted, 'efi/efivars/Other', '', 1],
    ['an error', mounted, variable, folder, 1],
    ['no value', mounted, variable, '', 1],
    ['too short', mounted, variable, '\x06\0\0\0', 1],
    ['too long', mounted, variable, '\x06\0\0\0\0\0', 1],
    ['much too long', mounted, variable, '\0'.repeat(100), 1],
    ['another value', mounted, variable, '\x06\0\0\0\x02', 1],
  ];
  const seen = rows.map(([name, program, file, content], index) => {
    const machine = join(work, `machine-${index}`);
    mkdirSync(file === undefined ? machine : join(machine, 'efi/efivars'), { recursive: true });
    if (file !== undefined && content === folder) mkdirSync(join(machine, file));
    else if (file !== undefined) writeFileSync(join(machine, file), content ?? '', 'latin1');
    const { status, signal } = spawnSync(program, { cwd: machine });
    return [name, signal ?? status];
  });
  assert.deepEqual(
    seen,
    rows.map(([name, , , , expected]) => [name, expected]),
  );
});
