import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxCandidates, maxJoinedUnits, maxJoinedValue } from '../limits.ts';
import { evaluateSelector } from './evaluate-selector.ts';
import type { Selection, SelectorVariables } from './selector.ts';

const ssd = { dev_path: '/dev/nvme0n1', size: 512_000_000_000, transport: 'nvme', model: 'Fast 512' };
const hdd = {
  ...{ dev_path: '/dev/sda', size: 4_000_000_000_000, transport: 'sata', model: 'WDC Red' },
  ...{ rotational: true, symlinks: ['/dev/disk/by-id/wwn-1'] },
};
const candidates = [
  { name: '/dev/nvme0n1', variables: { disk: ssd, system_disk: true } },
  { name: '/dev/sda', variables: { disk: hdd, system_disk: false } },
];
const ofDisks = (expression: string) => evaluateSelector({ environment: 'disk', expression, candidates });
const one = (environment: 'volume' | 'link', expression: string, variables: SelectorVariables) =>
  evaluateSelector({ environment, expression, candidates: [{ name: 'it', variables }] });

test('a disk selector selects disks by their fields, the system disk, units and glob()', () => {
  const rows: readonly (readonly [string, ...string[]])[] = [
    ['true', '/dev/nvme0n1', '/dev/sda'],
    ['system_disk', '/dev/nvme0n1'],
    ["disk.transport == 'nvme' && !system_disk"],
    ['disk.size > 1u * TB', '/dev/sda'],
    ['disk.size <= 512u * GB', '/dev/nvme0n1'],
    ["glob('WDC*', disk.model)", '/dev/sda'],
    ["disk.dev_path in ['/dev/sda', '/dev/sdb']", '/dev/sda'],
    ["disk.symlinks.exists(path, path.endsWith('wwn-1'))", '/dev/sda'],
    ['has(disk.rotational)', '/dev/sda'],
    ["disk.serial == ''", '/dev/nvme0n1', '/dev/sda'],
    ["disk.model.matches('^[A-Z]{3} ')", '/dev/sda'],
    ["matches(disk.model, '512$')", '/dev/nvme0n1'],
    [
      'disk == talos.resource.definitions.block.DiskSpec{size: 1u} || disk.size > 4000000000000u - 1u',
      '/dev/sda',
    ],
  ];
  for (const [expression, ...selected] of rows)
    assert.deepEqual(ofDisks(expression), { selected }, expression);
});

test('a selector of volumes finds META as Talos does', () => {
  const meta =
    "volume.partition_label == 'META' && volume.name in ['', 'talosmeta'] && volume.size == 1048576u";
  const volume = { partition_label: 'META', name: '', size: 1 << 20, partition_index: 3 };
  assert.deepEqual(one('volume', meta, { volume, disk: ssd }), { selected: ['it'] });
  assert.deepEqual(one('volume', meta, { volume: { ...volume, size: 2 << 20 }, disk: ssd }), {
    selected: [],
  });
  const both = "volume.partition_index == 3u && disk.transport == 'nvme'";
  assert.deepEqual(one('volume', both, { volume, disk: ssd }), { selected: ['it'] });
});

test('a selector of links knows addresses, enumerations and the parts of a link', () => {
  const link = { hardware_addr: Uint8Array.of(0, 1, 10, 255, 12, 13), type: 1, vlan: { vid: 5 } };
  for (const expression of [
    "mac(link.hardware_addr) == '00:01:0a:ff:0c:0d'",
    'link.type == talos.resource.definitions.enums.NethelpersLinkType.LINK_ETHER',
    'link.vlan.vid == 5u && !has(link.bond_master)',
    "link.driver == '' && glob('00:01:*', mac(link.hardware_addr))",
  ])
    assert.deepEqual(one('link', expression, { link }), { selected: ['it'] }, expression);
});

test('an expression that fails for a disk selects nothing, and names the selector, the disk and the reason', () => {
  assert.deepEqual(ofDisks('disk.size / (system_disk ? 0u : 1u) > 1u'), {
    problem:
      'the selector "disk.size / (system_disk ? 0u : 1u) > 1u" cannot be evaluated for /dev/nvme0n1: uint divide by zero',
  });
  assert.match(
    problemOf(ofDisks('int(disk.model) > 1')),
    /cannot be evaluated for .*: the text is no whole number/,
  );
});

test('an expression that is not valid for its field is not evaluated', () => {
  assert.match(
    problemOf(ofDisks('disk.size > 1')),
    /^the selector "disk.size > 1" is not a valid expression: 1:11: /,
  );
  assert.match(problemOf(ofDisks('disk.size')), /must be an expression of type bool/);
  const many = Array.from({ length: maxCandidates + 1 }, () => candidates[0] ?? assert.fail());
  assert.match(
    problemOf(evaluateSelector({ environment: 'disk', expression: 'true', candidates: many })),
    /is not evaluated for more than 4096 objects/,
  );
});

test('an expression cannot make values that are larger than the limit, of texts, bytes and lists', () => {
  /** Joins a value with itself again and again. */
  const doubled = (first: string, times: number) =>
    `${[first, ...Array.from({ length: times }, (_, i) => `[x${i} + x${i}]`)]
      .map((range, i) => `${range}.all(x${i}, `)
      .join('')}true${')'.repeat(times + 1)}`;
  for (const first of ["['0123456789abcdef']", "[b'0123456789abcdef']", '[[1, 2, 3, 4, 5, 6, 7, 8]]']) {
    assert.equal(problemOf(ofDisks(doubled(first, 10))), '', first);
    assert.match(
      problemOf(ofDisks(doubled(first, 30))),
      new RegExp(`more than ${maxJoinedValue} parts`),
      first,
    );
  }
  const digits = `[${'0123456789'.split('').join()}]`;
  const again = ['a', 'b', 'c', 'd'].reduce(
    (body, name) => `${digits}.all(${name}, ${body})`,
    "('0' + disk.model + '0').size() > 0",
  );
  const many = `["${'x'.repeat(4_000)}"].all(long, ${again.replace("'0' +", 'long +')})`;
  assert.match(problemOf(ofDisks(many)), new RegExp(`more than ${maxJoinedUnits} parts`));
});

test('a problem quotes the beginning of a long selector', () => {
  const problem = problemOf(ofDisks(`"${'a'.repeat(30_000)}" == 1`));
  assert.ok(problem.length < 700, String(problem.length));
  assert.match(problem, /^the selector "\\"a{99}…" is not valid|^the selector "\\"a{99}…" is not a valid/);
});

/** The problem of a selector; empty when it has none. */
function problemOf(selection: Selection): string {
  return 'problem' in selection ? selection.problem : '';
}
