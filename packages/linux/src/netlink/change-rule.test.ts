import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadNativeCalls } from '../native-calls.ts';
import { addRule, encodeRule, removeRule } from './change-rule.ts';
import { enterOwnNamespace, ip, noOwnNamespace } from './own-namespace.ts';
import { readRules } from './read-network.ts';
import { decodeRule, type KernelRule } from './rule-message.ts';

const rule = (rest: Partial<KernelRule>): KernelRule => ({
  ...{ family: 2, source: '', destination: '', table: 100, priority: 7000, action: 1, inputLink: '' },
  ...{ outputLink: '', mark: 0, markMask: 0, protocol: 4, isSelective: false, ...rest },
});

const rules = [
  rule({ source: '10.1.0.0/16', destination: '10.2.3.4/32' }),
  rule({ priority: 7001, mark: 0xff, markMask: 0xffff, table: 70_000 }),
  rule({ priority: 7002, inputLink: 'lo', outputLink: 'wire0' }),
  rule({ priority: 7003, action: 6, table: 0 }),
  rule({ priority: 7004, family: 10, source: 'fd00::/64' }),
];

test('decodeRule() reads what encodeRule() writes', () => {
  for (const each of rules) assert.deepEqual(decodeRule(encodeRule(each)), each);
});

test('rules are added, read as they were written, and removed, twice without an error', {
  skip: noOwnNamespace,
}, async () => {
  const calls = await loadNativeCalls();
  enterOwnNamespace();
  for (const each of [...rules, ...rules]) addRule(calls, each);
  const own = () => readRules(calls).filter(({ protocol }) => protocol === 4);
  assert.deepEqual(own(), rules);
  assert.match(ip('rule show'), /^7000:\s+from 10\.1\.0\.0\/16 to 10\.2\.3\.4 lookup 100 proto static/m);
  assert.match(ip('rule show'), /^7003:\s+from all blackhole proto static/m);
  assert.match(ip('-6 rule show'), /^7004:\s+from fd00::\/64 lookup 100 proto static/m);
  for (const each of [...rules, ...rules]) removeRule(calls, each);
  assert.deepEqual(own(), []);
});

test('a rule that selects by more than is read is marked', { skip: noOwnNamespace }, async () => {
  const calls = await loadNativeCalls();
  enterOwnNamespace();
  ip('rule add priority 7100 sport 53 table 100');
  ip('rule add priority 7101 not from 10.0.0.0/8 table 100');
  ip('rule add priority 7102 tos 0x10 table 100');
  ip('rule add priority 7103 table 100');
  ip('rule add priority 7104 table 100 suppress_prefixlength 0');
  ip('rule add priority 7105 table 100 suppress_ifgroup 0');
  const marked = readRules(calls).filter(({ priority }) => priority >= 7100 && priority < 7200);
  assert.deepEqual(
    marked.map(({ priority, isSelective }) => [priority, isSelective]),
    [...[7100, 7101, 7102].map((priority) => [priority, true]), [7103, false], [7104, true], [7105, true]],
  );
});
