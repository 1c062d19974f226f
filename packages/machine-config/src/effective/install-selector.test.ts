import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluateSelector } from '../cel/evaluate/evaluate-selector.ts';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { effectiveConfig } from './effective-config.ts';

const disk = {
  ...{
    dev_path: '/dev/sda',
    size: 100_000_000_000,
    readonly: false,
    cdrom: false,
    model: 'WDC WD100',
    serial: 'S1',
  },
  ...{
    modalias: 'scsi:t-0x00',
    uuid: '',
    wwid: 'naa.5000',
    bus_path: '/pci0000:00/',
    transport: 'sata',
    rotational: true,
  },
};
const disks = [
  disk,
  {
    ...disk,
    dev_path: '/dev/nvme0n1',
    transport: 'nvme',
    rotational: false,
    model: 'Fast',
    size: 50_000_000_000,
  },
  { ...disk, dev_path: '/dev/loop0', transport: '' },
  { ...disk, dev_path: '/dev/sr0', cdrom: true },
];

function selected(selector: string) {
  const text = `machine: { install: { diskSelector: ${selector} } }\ncluster: {}\nversion: v1alpha1\n`;
  const { install } = effectiveConfig(loadConfiguration(text));
  const candidates = disks.map((one) => ({
    name: one.dev_path,
    variables: { disk: one, system_disk: false },
  }));
  return evaluateSelector({ environment: 'disk', expression: install?.diskSelector ?? '', candidates });
}

test('the old selector of disks is an expression with the same meaning', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['{ size: ">= 60GB" }', ['/dev/sda']],
    ['{ size: "50GB" }', ['/dev/nvme0n1']],
    ['{ size: "< 60 GB" }', ['/dev/nvme0n1']],
    ['{ type: nvme }', ['/dev/nvme0n1']],
    ['{ type: SSD }', ['/dev/nvme0n1']],
    ['{ type: hdd }', ['/dev/sda']],
    ['{ model: "WDC*" }', ['/dev/sda']],
    ['{ wwid: "naa.*", type: ssd }', ['/dev/nvme0n1']],
    ['{ serial: "S*" }', ['/dev/sda', '/dev/nvme0n1']],
    ['{ busPath: "/pci0000:01/*" }', []],
    [String.raw`{ model: "\" || true || \"" }`, []],
  ];
  for (const [selector, expected] of cases)
    assert.deepEqual(selected(selector), { selected: expected }, selector);
});
