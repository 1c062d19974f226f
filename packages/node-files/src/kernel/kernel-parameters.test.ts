import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultKernelParameters } from './default-kernel-parameters.ts';
import {
  configuredParameters,
  parameterId,
  parameterPath,
  parameterStatus,
  parameterValue,
} from './kernel-parameters.ts';

const keys: readonly (readonly ['proc.sys' | 'sys', string, string, string])[] = [
  ['proc.sys', 'net.ipv4.ip_forward', 'proc.sys.net.ipv4.ip_forward', '/proc/sys/net/ipv4/ip_forward'],
  [
    'proc.sys',
    'net/ipv4/conf/eth0.100/rp_filter',
    'proc.sys.net.ipv4.conf.eth0/100.rp_filter',
    '/proc/sys/net/ipv4/conf/eth0.100/rp_filter',
  ],
  [
    'proc.sys',
    'net.ipv4.conf.eth0/100.rp_filter',
    'proc.sys.net.ipv4.conf.eth0/100.rp_filter',
    '/proc/sys/net/ipv4/conf/eth0.100/rp_filter',
  ],
  ['sys', 'kernel/mm/ksm/run', 'sys.kernel.mm.ksm.run', '/sys/kernel/mm/ksm/run'],
];

for (const [tree, key, id, path] of keys) {
  test(`parameterId() finds ${key} below ${tree}`, () => {
    assert.deepEqual([parameterId(tree, key), parameterPath(id)], [id, path]);
  });
}

test('configuredParameters() uses the later of two spellings of a key', () => {
  assert.deepEqual(configuredParameters({ sysctls: { 'a.b': '1', 'a/b': '2' }, sysfs: { 'a.b': '3' } }), [
    { id: 'proc.sys.a.b', spec: { value: '2', ignoreErrors: false } },
    { id: 'sys.a.b', spec: { value: '3', ignoreErrors: false } },
  ]);
});

test('parameterValue() is the word in brackets of a choice of sysfs, and otherwise the text', () => {
  const ofSysfs = ['always [madvise] never\n', '[none]', 'a b\n', '[a] [b]', '', '3'].map((text) =>
    parameterValue('sys.kernel.mm.transparent_hugepage.enabled', text),
  );
  assert.deepEqual(ofSysfs, ['madvise', 'none', 'a b', '[a] [b]', '', '3']);
  assert.equal(
    parameterValue('proc.sys.kernel.core_pattern', '|/bin/save [core] %p\n'),
    '|/bin/save [core] %p',
  );
});

test('parameterStatus() compares a value that the node does not set with the wanted one', () => {
  const same = { current: '4096\t131072 6291456', default: '4096\t131072 6291456', unsupported: false };
  assert.deepEqual(parameterStatus('4096 131072 6291456', '4096\t131072 6291456\n'), same);
  assert.deepEqual(parameterStatus('1', '0\n'), { current: '0', default: '0', unsupported: true });
  assert.deepEqual(parameterStatus('1', undefined), { current: '', default: '', unsupported: true });
});

test('defaultKernelParameters() keeps less memory free on a small machine, and leaves it to the kernel on others', () => {
  const reserveOf = (memoryKilobytes: number, isContainer = false) =>
    defaultKernelParameters({ isContainer, hasIpv6: true, memoryKilobytes, architecture: 'x64' }).find(
      ({ id }) => id === 'proc.sys.vm.min_free_kbytes',
    )?.spec.value;
  assert.deepEqual(
    [reserveOf(989_888), reserveOf(4e6), reserveOf(989_888, true)],
    ['19798', undefined, undefined],
  );
});

test("defaultKernelParameters() refuses routers' advertisements on links that nothing configured", () => {
  for (const isContainer of [false, true]) {
    const wanted = defaultKernelParameters({
      isContainer,
      hasIpv6: true,
      memoryKilobytes: 1e6,
      architecture: 'x64',
    });
    assert.deepEqual(
      wanted.filter(({ id }) => id.endsWith('.accept_ra')),
      [{ id: 'proc.sys.net.ipv6.conf.default.accept_ra', spec: { value: '0', ignoreErrors: false } }],
    );
  }
});

test('defaultKernelParameters() leaves out of containers what belongs to the whole machine', () => {
  const ids = (isContainer: boolean, hasIpv6: boolean) =>
    new Set(
      defaultKernelParameters({ isContainer, hasIpv6, memoryKilobytes: 1e6, architecture: 'x64' }).map(
        ({ id }) => id,
      ),
    );
  const [machine, container] = [ids(false, true), ids(true, false)];
  assert.equal(
    machine.has('proc.sys.kernel.kptr_restrict') && machine.has('proc.sys.net.ipv6.conf.default.accept_ra'),
    true,
  );
  assert.equal(container.has('proc.sys.net.ipv4.ip_forward'), true);
  assert.deepEqual(
    [...container].filter((id) => id.includes('ipv6') || id.includes('restrict')),
    [],
  );
});

test('defaultKernelParameters() closes SysRq and io_uring on machines, and moves memory by all bits of the processor', () => {
  const wanted = (architecture: string, isContainer: boolean) => {
    const all = defaultKernelParameters({ isContainer, hasIpv6: true, memoryKilobytes: 1e6, architecture });
    const value = (key: string) => all.find(({ id }) => id === `proc.sys.${key}`)?.spec.value;
    return [value('kernel.sysrq'), value('kernel.io_uring_disabled'), value('vm.mmap_rnd_bits')];
  };
  assert.deepEqual(wanted('x64', false), ['0', '2', '32']);
  assert.deepEqual(wanted('arm64', false), ['0', '2', '33']);
  assert.deepEqual(wanted('riscv64', false), ['0', '2', undefined]);
  // They belong to the host of a container, also to its other programs.
  assert.deepEqual(wanted('x64', true), [undefined, undefined, undefined]);
});
