// Extension services on a node that runs no containers: they are listed and say why they do not run, and their configuration
// is applied live.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { StateDefinition } from '@nodewright/contract/gen/cosi/resource/state.ts';
import {
  MachineServiceDefinition,
  ApplyConfigurationRequest_Mode as Mode,
} from '@nodewright/contract/gen/machine/machine.ts';
import { codecsOf } from '@nodewright/state';
import { extensionServiceConfigStatuses } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { eventually } from '@nodewright/testkit';
import { clusterSecrets, nodeConfig } from './harness/cluster-material.ts';
import { type NodeUnderTest, ownAddress, startNode } from './harness/node-under-test.ts';

const folder = mkdtempSync(join(tmpdir(), 'extension-services-'));
const scope = new AsyncDisposableStack();
scope.defer(() => rmSync(folder, { recursive: true, force: true }));
let node: NodeUnderTest;
let configuration: string;

const document = (content: string) =>
  [
    ...['---', 'apiVersion: v1alpha1', 'kind: ExtensionServiceConfig', 'name: demo', 'configFiles:'],
    ...[`  - content: ${content}`, '    mountPath: /etc/demo.conf', ''],
  ].join('\n');

before(async () => {
  const files = join(folder, 'root/usr/local/etc/containers');
  mkdirSync(files, { recursive: true });
  writeFileSync(
    join(files, 'demo.yaml'),
    'name: demo\ncontainer: { entrypoint: ./demo }\ndepends: [{ service: cri }]\n',
  );
  writeFileSync(join(files, 'wrong.yaml'), 'name: WRONG\n');
  const address = ownAddress();
  configuration = nodeConfig({
    ...{ secrets: await clusterSecrets(), type: 'controlplane', timeServer: '127.0.0.1:1' },
    controlPlaneAddress: address,
  });
  mkdirSync(join(folder, 'root/system/state'), { recursive: true });
  writeFileSync(join(folder, 'root/system/state/config.yaml'), configuration, { mode: 0o600 });
  node = scope.use(await startNode({ folder, address, isConfigured: true }));
  await eventually(async () => (await services()).includes('ext-demo'), { what: 'the service' });
});
after(() => scope.disposeAsync());

const machine = () => node.client(MachineServiceDefinition, 'os:admin');
const services = async () =>
  (await machine().serviceList({})).messages[0]?.services.map(({ id }) => id) ?? [];

const why = /extension services run in containers of the node, and this node is a set of processes/;

test('a service says in one line why it does not run on this node, and the API may start it again', async () => {
  assert.equal((await node.serviceSays('ext-demo', why)).state, 'Failed');
  const { messages } = await machine().serviceRestart({ id: 'ext-demo' });
  assert.deepEqual(messages, [{ metadata: undefined, resp: 'Service "ext-demo" restarted' }]);
  await node.serviceSays('ext-demo', why);
  assert.ok(!(await services()).some((name) => /WRONG|wrong/.test(name)));
  assert.match(node.machined.stdout(), /wrong\.yaml.*does not consist of up to 63/);
});

test('the files of a configuration come and go with it, and a change starts the service again', async () => {
  const client = node.client(StateDefinition, 'os:admin');
  const state = createStateClient({ client, codecs: codecsOf([extensionServiceConfigStatuses]) });
  const file = join(node.root, 'system/overlays/extensions/demo/etc-demo.conf');
  const apply = (more: string) =>
    machine().applyConfiguration({ data: Buffer.from(`${configuration}\n${more}`), mode: Mode.AUTO });
  const entries = async () => (await node.service('ext-demo')).events?.events.length ?? 0;
  /** Applies a document, and waits until its file is there and the service was started again. */
  const changeTo = async (content: string) => {
    await node.serviceSays('ext-demo', why);
    const before = await entries();
    await apply(document(content));
    await eventually(() => existsSync(file) && readFileSync(file, 'utf8') === content, { what: 'the file' });
    await eventually(async () => (await entries()) > before, { what: 'another start of the service' });
  };
  await changeTo('one');
  await changeTo('two');
  assert.equal((await state.list(extensionServiceConfigStatuses)).length, 1);
  await apply('');
  await eventually(() => !existsSync(file), { what: 'the end of the file' });
});
