import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectiveConfig, loadConfiguration } from '@nodewright/machine-config';
import { argumentWarning, isOnMedium, requestOf } from './install-request.ts';

const install = {
  ...{ isUnattended: true, disk: '', diskSelector: '', image: '', wipe: true, extraKernelArgs: ['quiet'] },
  ...{ usesImageArguments: false, marksMbr: true, reboots: undefined },
};

test('requestOf() takes the path of the form that gen config writes, and leaves others to the evaluator', () => {
  const of = (diskSelector: string) => {
    const { disk, selector } = requestOf({ ...install, diskSelector });
    return { disk, selector };
  };
  for (const quoted of ['disk.dev_path == "/dev/vda"', " disk.dev_path == '/dev/vda' "])
    assert.deepEqual(of(quoted), { disk: '/dev/vda', selector: '' });
  for (const other of [
    'disk.dev_path == "/dev/vda" || true',
    'disk.dev_path == "/dev/" + "vda"',
    'system_disk',
  ])
    assert.deepEqual(of(other), { disk: '', selector: other });
});

test('requestOf() has no extra arguments when those of the image are to be used', () => {
  assert.deepEqual(requestOf(install).extraKernelArguments, ['quiet']);
  assert.deepEqual(requestOf({ ...install, usesImageArguments: true }).extraKernelArguments, []);
});

test('isOnMedium() knows images of the version of the medium, and no digest', () => {
  const digest = `sha256:${'0'.repeat(64)}`;
  const cases = {
    '': true,
    'factory.example/metal-installer/abc:v1.14.0': true,
    'registry.example:5000/installer:v1.14.0': true,
    'registry.example:5000/installer': false,
    'registry.example/installer:v1.14.1': false,
    [`registry.example/installer:v1.14.0@${digest}`]: false,
  };
  for (const [image, expected] of Object.entries(cases))
    assert.equal(isOnMedium(image, 'v1.14.0'), expected, image);
});

test('argumentWarning() names arguments that a signed command line does not take', () => {
  const request = { extraKernelArguments: ['quiet'] };
  assert.match(argumentWarning(request, true) ?? '', /no effect with UEFI firmware.*: quiet$/);
  assert.equal(argumentWarning(request, false), undefined);
  assert.equal(argumentWarning({ extraKernelArguments: [] }, true), undefined);
});

test('requestOf() reads both forms of the configuration', () => {
  const of = (text: string) => {
    const { install } = effectiveConfig(loadConfiguration(text));
    assert.ok(install);
    return requestOf(install);
  };
  const selector =
    'size: ">= 10GB", type: nvme, model: M*, serial: S*, modalias: A*, uuid: U*, wwid: W*, busPath: B*';
  const section = of(`
version: v1alpha1
machine:
  install:
    diskSelector: { ${selector} }
    image: registry.example/installer:v1
    wipe: true
    legacyBIOSSupport: true
    extraKernelArgs: [quiet]
cluster: {}
`);
  const { selector: expression, ...rest } = section;
  for (const term of ['disk.size >= 10000000000u', "disk.transport == 'nvme'", 'glob("W*", disk.wwid)'])
    assert.ok(expression.includes(term), expression);
  assert.deepEqual(rest, {
    ...{ disk: '', wipes: true, image: 'registry.example/installer:v1', marksMbr: true },
    extraKernelArguments: ['quiet'],
  });
  const withoutArguments =
    'version: v1alpha1\nmachine: { install: { disk: /dev/sda, grubUseUKICmdline: true } }\n';
  assert.deepEqual(of(withoutArguments).extraKernelArguments, []);
  const document = of(`
apiVersion: v1alpha1
kind: UnattendedInstallConfig
reboot: false
installer: { image: registry.example/installer:v1 }
provisioning: { diskSelector: { match: disk.rotational }, wipe: false }
`);
  assert.deepEqual(document, {
    ...{ disk: '', selector: 'disk.rotational', wipes: false, image: 'registry.example/installer:v1' },
    ...{ extraKernelArguments: [], marksMbr: false },
  });
});
