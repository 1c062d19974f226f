import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from './load-configuration.ts';

const value = (text: string) => loadConfiguration(text)[0]?.value;

test('loadConfiguration() decodes a scalar with a tag as the tag says', () => {
  assert.deepEqual(
    value('machine: { network: { kubespan: { enabled: !!bool "true", mtu: !!int "1500" } } }'),
    {
      machine: { network: { kubespan: { enabled: true, mtu: 1500 } } },
    },
  );
  assert.deepEqual(value('machine: { token: !!binary "aGVsbG8=", env: { a: !!binary "w7w=" } }'), {
    machine: { token: 'hello', env: { a: 'ü' } },
  });
  assert.deepEqual(
    value('machine: { token: !!null "", type: !!float 1.50, env: { a: !!timestamp 2001-01-01 } }'),
    {
      machine: { type: '1.50', env: { a: '2001-01-01' } },
    },
  );
  for (const mtu of ['!!str 1500', '!own 1500', '!!binary "MTUwMA=="'])
    assert.throws(() => value(`machine: { network: { kubespan: { mtu: ${mtu} } } }`), {
      message: /cannot construct !!str `.*` into uint32/,
    });
});

test('loadConfiguration() refuses a scalar that does not fit its tag, without quoting it', () => {
  for (const tagged of [
    '!!int secret',
    '!!bool secret',
    '!!float secret',
    '!!null secret',
    '!!binary secret',
    '!!binary "/w=="',
  ])
    assert.throws(
      () => value(`machine: { token: ${tagged} }`),
      ({ message }: Error) =>
        /document 1, line 1, column \d+: .*!!/.test(message) && !message.includes('secret'),
      tagged,
    );
});

test('loadConfiguration() drops null from lists of texts, and refuses it in lists of objects', () => {
  assert.deepEqual(value('machine: { certSANs: [~, a, null], kubelet: { extraArgs: { f: [~, b] } } }'), {
    machine: { certSANs: ['a'], kubelet: { extraArgs: { f: ['b'] } } },
  });
  for (const list of [
    'network: { interfaces: [~, { interface: eth0 }] }',
    'network: { interfaces: [{ interface: eth0, routes: [~] }] }',
    'network: { interfaces: [{ interface: eth0, vlans: [null] }] }',
    'disks: [null]',
    'files: [null]',
    'acceptedCAs: [null]',
    'pods: [~]',
    'pods: [{ kind: Pod }, ~]',
  ])
    assert.throws(() => value(`machine: { ${list} }`), { message: /construct !!null/ }, list);
});

test('loadConfiguration() decodes a number in exponential notation as nanoseconds', () => {
  const bootTimeout = (text: string) => value(`machine: { time: { bootTimeout: ${text} } }`);
  assert.deepEqual(bootTimeout('1e3'), { machine: { time: { bootTimeout: '1µs' } } });
  assert.deepEqual(bootTimeout('-2.5E9'), { machine: { time: { bootTimeout: '-2.5s' } } });
  for (const text of ['1000', '1.0', '"1e3"', '0x1e3', '1e19', '1e-3', '1e', '.inf'])
    assert.throws(() => bootTimeout(text), { message: /into duration/ }, text);
});
