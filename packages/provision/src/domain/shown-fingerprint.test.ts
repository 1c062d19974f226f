import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownFingerprint } from './shown-fingerprint.ts';

const key = 'yrEgDBG4bkSFS2cxgPIgrkVOOaPdJfYzn9LaqB0mPZs=';
const logged = (entry: object) => JSON.stringify({ level: 'info', name: 'machined', ...entry });
const controller = 'runtime.MaintenanceServiceInformController';

test('shownFingerprint() reads the log of machined and the console of a machine', () => {
  assert.equal(shownFingerprint(logged({ controller, fingerprint: key })), key);
  assert.equal(shownFingerprint(`[nodewright] fingerprint: ${key}\r`), key);
});

test('shownFingerprint() believes no line that only quotes one', () => {
  const quoted = [
    logged({ metadata: { 'user-agent': logged({ controller, fingerprint: key }) } }),
    logged({ metadata: { controller, fingerprint: key } }),
    logged({ controller: 'other', fingerprint: key, msg: controller }),
    logged({ controller, fingerprint: 'none' }),
    logged({ controller, fingerprint: [key] }),
    `[nodewright] host name: [nodewright] fingerprint: ${key}`,
    `[nodewright] fingerprint: ${key} and more`,
    '[nodewright] fingerprint: none yet, the API has no certificate',
    `{"controller":"${controller}","fingerprint":"${key}"`,
    '',
  ];
  assert.deepEqual(
    quoted.map(shownFingerprint),
    quoted.map(() => undefined),
  );
});
