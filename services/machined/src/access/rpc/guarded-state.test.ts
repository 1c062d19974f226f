import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Role } from '@nodewright/contract';
import {
  type KindRef,
  type Pointer,
  pointerTo,
  putResource,
  type State,
  specFromYaml,
  type Watch,
} from '@nodewright/state';
import { metaKeys, platformConfigs, platformConfigsFields } from '@nodewright/state/kinds';
import { noTelemetry } from '@nodewright/telemetry';
import { parse } from 'yaml';
import { openNodeState } from '../../base/resources/open-node-state.ts';
import { apiAccess, apiViews, guardedState } from './guarded-state.ts';

const key = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const [own, preshared, peer] = [key(1), key(2), key(3)];
const token = 'token-of-a-cloud-api';

const tunnel = `
# The key of the old tunnel: privateKey ${own}
links:
  - name: wg0
    logical: true
    up: true
    kind: wireguard
    type: nohdr
    wireguard:
      privateKey: ${own}
      peers:
        - publicKey: ${peer}
          "preshared\\u004bey": ${preshared}
operators:
  - operator: vip
    linkName: eth0
    vip:
      ip: 10.0.0.9
      hcloud: { deviceID: 1, networkID: 2, apiToken: ${token} }
      equinixMetal: { projectID: a, deviceID: b, apiToken: ${token} }
`;

async function openStates() {
  const state = await openNodeState(() => 0, noTelemetry);
  const viewOf = apiViews();
  const reported: string[] = [];
  const as = (...roles: Role[]) => {
    const caller = new Set(roles);
    const report = () => void reported.push(roles.join());
    return guardedState(state, apiAccess(state, caller, report), viewOf(caller, report));
  };
  return {
    reported,
    state,
    reader: as('os:reader'),
    admin: as('os:reader', 'os:admin'),
  };
}

const networkMeta = pointerTo(metaKeys, '0x0a');
const active = pointerTo(platformConfigs, 'active');

/** All that a caller reads of a resource, in each way, as text. */
async function readBy<S>(
  state: State,
  pointer: Pointer<S>,
  change: () => Promise<unknown>,
): Promise<string[]> {
  const { namespace, type } = pointer;
  const kind: KindRef<S> = { namespace, type } as KindRef<S>;
  using watch: Watch<S> = await state.watch(pointer);
  using ofKind: Watch<S> = await state.watchKind(kind, { bootstrapContents: true });
  const texts = [JSON.stringify(await state.get(pointer)), JSON.stringify(await state.list(kind))];
  await change();
  for (const each of [watch, ofKind])
    for await (const events of each) {
      texts.push(JSON.stringify(events));
      if (events.some((event) => event.kind === 'updated')) break;
    }
  return texts;
}

test('keys of WireGuard and tokens in META and in the configuration of the platform are for administrators only', async () => {
  const { state, reader, admin } = await openStates();
  const { metadata: _, probes: __, ...fields } = platformConfigsFields;
  const platform = { ...specFromYaml(fields, parse(tunnel), ''), probes: [], metadata: undefined };
  const writeMeta = (note: string) =>
    putResource(state, { ...networkMeta, spec: { value: `${tunnel}# ${note}\n` } });
  const writePlatform = (externalIPs: string[]) =>
    putResource(state, { ...active, spec: { ...platform, externalIPs } });
  await writeMeta('before');
  await writePlatform([]);
  const seen = [
    ...(await readBy(reader, networkMeta, () => writeMeta('for readers'))),
    ...(await readBy(reader, active, () => writePlatform(['192.0.2.1']))),
  ];
  assert.equal(seen.length >= 8, true);
  for (const text of seen) {
    assert.equal(
      [own, preshared, token].some((secret) => text.includes(secret)),
      false,
      text,
    );
    assert.match(text, /REDACTED|bootstrapped/);
  }
  // Names and public keys are no secret.
  assert.equal(seen[0]?.includes(peer) && seen[0].includes('wg0'), true);
  const whole = [
    ...(await readBy(admin, networkMeta, () => writeMeta('for administrators'))),
    ...(await readBy(admin, active, () => writePlatform(['192.0.2.2']))),
  ];
  assert.equal(
    whole.filter((text) => [own, preshared, token].every((secret) => text.includes(secret))).length >= 4,
    true,
  );
});

test('a value of META without keys is shown as it is, and a damaged one with a key is not shown', async () => {
  const { state, reader } = await openStates();
  const shown = async (id: string, value: string) => {
    await putResource(state, { ...pointerTo(metaKeys, id), spec: { value } });
    return (await reader.get(pointerTo(metaKeys, id))).spec.value;
  };
  const plain = '# the address\naddresses:\n  - {address: 10.0.0.2/24, linkName: eth0}\n';
  for (const value of [plain, `${plain}hostnames: [{"hostname": "\\u0061"}]\n`])
    assert.equal(await shown('0x0a', value), value);
  for (const damaged of [`links: [{wireguard: {privateKey: ${own}`, `a: &k ${own}\nprivateKey: *k\n`])
    assert.equal(await shown('0x0a', damaged), 'REDACTED');
  // Other keys have other meanings.
  assert.equal(await shown('0x0b', `privateKey: ${own}`), `privateKey: ${own}`);
});

test('a read that shows a secret is reported, also of a kind that readers may read', async () => {
  const { state, reader, admin, reported } = await openStates();
  await putResource(state, { ...networkMeta, spec: { value: tunnel } });
  await putResource(state, { ...pointerTo(metaKeys, '0x0b'), spec: { value: 'no secret' } });
  await admin.get(pointerTo(metaKeys, '0x0b'));
  await reader.list(metaKeys);
  assert.deepEqual(reported, []);
  await admin.get(networkMeta);
  await admin.list(metaKeys);
  using watch = await admin.watch(networkMeta);
  for await (const _ of watch) break;
  assert.deepEqual(
    reported,
    Array.from({ length: 3 }, () => 'os:reader,os:admin'),
  );
});
