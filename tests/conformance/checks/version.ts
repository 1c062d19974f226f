import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import { machine } from '../wire/methods.ts';
import { only } from './expect.ts';

const semanticVersion = /^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

export const versionChecks = [
  ...checksOf(machine.version, {
    'version.tag': [
      'version.tag is a semantic version with a leading v',
      async ({ admin }) => {
        const { version } = only(await admin.unary(machine.version, {}));
        assert.ok(version !== undefined, 'version is missing, but clients read it without a check');
        assert.match(version.tag, semanticVersion);
      },
    ],
    'version.build': [
      'sha, go_version, os and arch are set, built is empty, and os and arch have the names that Go uses',
      async ({ admin }) => {
        const { version } = only(await admin.unary(machine.version, {}));
        assert.notEqual(version?.sha, '', 'sha is empty');
        assert.notEqual(version?.goVersion, '', 'go_version is empty');
        assert.equal(version?.built, '');
        assert.equal(version?.os, 'linux');
        assert.ok(['amd64', 'arm64'].includes(version?.arch ?? ''), `arch is "${version?.arch}"`);
      },
    ],
    'version.platform': [
      'platform has a name and one of the four modes',
      async ({ admin }) => {
        const { platform } = only(await admin.unary(machine.version, {}));
        assert.notEqual(platform?.name ?? '', '');
        const modes = ['cloud', 'container', 'metal', 'metal-agent'];
        assert.ok(modes.includes(platform?.mode ?? ''), `mode is "${platform?.mode}"`);
      },
    ],
    'version.features': [
      'features.rbac is true on a configured node',
      async ({ admin }) => {
        const { features } = only(await admin.unary(machine.version, {}));
        assert.equal(features?.rbac, true);
      },
    ],
  }),
  ...checksOf(machine.hostname, {
    'hostname.name': [
      'hostname is a valid host name for the kernel',
      async ({ admin }) => {
        const { hostname } = only(await admin.unary(machine.hostname, {}));
        assert.match(hostname, /^[A-Za-z0-9]([A-Za-z0-9.-]{0,62}[A-Za-z0-9])?$/);
      },
    ],
  }),
];
