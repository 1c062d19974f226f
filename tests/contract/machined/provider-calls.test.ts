// The calls of the Terraform provider of Talos in their order, over a real server: the adapters of machined and its store of artefacts,
// on a machine in memory. Source: Talos v1.14: LifecycleService
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ContainerRuntime } from '@nodewright/containers';
import { ContainerDriver, ContainerdNamespace } from '@nodewright/contract/gen/common/common.ts';
import { type ImageServiceClient, ImageServiceDefinition } from '@nodewright/contract/gen/machine/image.ts';
import {
  type LifecycleServiceClient,
  LifecycleServiceDefinition,
} from '@nodewright/contract/gen/machine/lifecycle.ts';
import {
  type MachineServiceClient,
  MachineServiceDefinition,
  ApplyConfigurationRequest_Mode as Mode,
} from '@nodewright/contract/gen/machine/machine.ts';
import { createArtefactSigner, platform, testArtefact } from '@nodewright/installer/testing';
import { createRpcClient, createRpcServer, openUnixChannel } from '@nodewright/rpc';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { completeServices } from '../../../services/machined/src/base/rpc/complete-services.ts';
import { createImageService } from '../../../services/machined/src/containers/rpc/image-service.ts';
import { ArtefactFolder } from '../../../services/machined/src/upgrade/host/artefact-folder.ts';
import { ArtefactStore } from '../../../services/machined/src/upgrade/host/artefact-store.ts';
import { memoryRegistry } from '../../../services/machined/src/upgrade/testing/memory-registry.ts';
import { UpgradeTurn } from '../../../services/machined/src/upgrade-calls/domain/upgrade-turn.ts';
import { UpgradeAccess } from '../../../services/machined/src/upgrade-calls/rpc/upgrade-access.ts';
import { createUpgradeApi } from '../../../services/machined/src/upgrade-calls/rpc/upgrade-api.ts';
import { FakeUpgrades } from '../../../services/machined/src/upgrade-calls/testing/fake-upgrades.ts';

const image = 'registry.example/installer:v1.14.1';
const containerd = { driver: ContainerDriver.CRI, namespace: ContainerdNamespace.NS_SYSTEM } as const;
const signer = createArtefactSigner();
const artefact = testArtefact({ signer });

/** A folder on a disk, whatever the folder of the test is on. */
class DiskFolder extends ArtefactFolder {
  override isOnDisk = async () => true;
}

/** A machine whose upgrade reads its whole artefact from where it is, and which changes its version at a restart. */
class ProvidedMachine extends FakeUpgrades {
  /** What it was asked for, in order. */
  readonly asked: string[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), 'provider-'));
  readonly store: ArtefactStore;
  tag = 'v1.14.0';
  bootId = 1;

  constructor() {
    super();
    this.store = new ArtefactStore({
      ...{ platform, certificates: async () => [signer.certificate], nowMs: Date.now },
      folder: new DiskFolder(join(this.folder, 'artefacts'), platform),
      registry: memoryRegistry({ files: artefact.files, root: artefact.digests.index }).client,
      monotonicMs: () => performance.now(),
      log: { info: () => {}, warn: () => {} },
    });
  }

  restart(): void {
    this.bootId += 1;
    if (this.calls.length > 0) this.tag = 'v1.14.1';
  }
}

async function serve(machine: ProvidedMachine, hasImageService: boolean, scope: AsyncDisposableStack) {
  scope.defer(() => rmSync(machine.folder, { recursive: true }));
  const { asked, store } = machine;
  const ask = (text: string) => void asked.push(text);
  const upgradeApi = createUpgradeApi({
    access: new UpgradeAccess({
      ...{ upgrades: machine, turn: new UpgradeTurn(), description: 'a machine' },
      ...{ log: { info: () => {}, warn: () => {} }, rolloutProblem: async () => undefined },
    }),
    cannotEnd: undefined,
    pull: (name, signal) => store.ensure(name, signal),
    assertMayUpgrade: async () => ask('etcd'),
    plans: {
      async begin({ image, allowsDowngrade, dropsExtensions, ignoresEtcd }) {
        if (!ignoresEtcd) ask('etcd');
        const wanted = { image, allowsDowngrade, dropsExtensions, extensionSet: undefined };
        return { id: '', over: machine.upgrade(wanted, () => {}).then(() => machine.restart()) };
      },
    },
    sequences: {
      stageUpgrade: async () => machine.restart(),
      rollBack: async () => machine.restart(),
    },
    received: { receive: async () => assert.fail('no set'), remove: async () => {} },
  });
  const { pull, ...images } = createImageService(undefined as ContainerRuntime | undefined, store);
  const server = scope.use(
    createRpcServer({
      services: completeServices({
        ...upgradeApi,
        'machine.ImageService': hasImageService ? { pull, ...images } : {},
        'machine.MachineService': {
          ...upgradeApi['machine.MachineService'],
          applyConfiguration: async ({ mode }: { mode: Mode }) => {
            ask(`apply ${mode}`);
            return { messages: [{ mode, modeDetails: '', warnings: [] }] };
          },
          version: async () => ({ messages: [{ version: { tag: machine.tag } }] }),
          async *read() {
            yield { bytes: Buffer.from(`${machine.bootId}\n`) };
          },
          async reboot() {
            ask('reboot');
            machine.restart();
            return { messages: [{ actorId: 'actor' }] };
          },
        },
      }),
      ...{
        telemetry: noTelemetry,
        log: createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' }),
      },
    }),
  );
  const socket = join(machine.folder, 'socket');
  await server.listenUnix(socket);
  const open = () => {
    const channel = scope.use(openUnixChannel(socket));
    const connect = <Client>(definition: Parameters<typeof createRpcClient>[0]) =>
      createRpcClient(definition, channel, { telemetry: noTelemetry }) as unknown as Client;
    return {
      machine: connect<MachineServiceClient>(MachineServiceDefinition),
      images: connect<ImageServiceClient>(ImageServiceDefinition),
      lifecycle: connect<LifecycleServiceClient>(LifecycleServiceDefinition),
    };
  };
  return { open };
}

type Client = ReturnType<Awaited<ReturnType<typeof serve>>['open']>;

const tagOf = async ({ machine }: Client) => (await machine.version({})).messages?.[0]?.version?.tag;

async function bootIdOf({ machine }: Client): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const { bytes } of machine.read({ path: '/proc/sys/kernel/random/boot_id' })) pieces.push(bytes);
  return Buffer.concat(pieces).toString();
}

/** The name that a pull answers; undefined on a node without the image service. */
async function pullOf({ images }: Client): Promise<string | undefined> {
  try {
    let name: string | undefined;
    for await (const { response } of images.pull({ containerd, imageRef: image }))
      if (response?.$case === 'name') name = response.value;
    return name ?? assert.fail('no name');
  } catch (error) {
    if ((error as { code?: number }).code === 12) return undefined;
    throw error;
  }
}

test('a machine is created and upgraded as the provider does it: apply, Version, Pull, Upgrade, Reboot by the boot id', async () => {
  await using scope = new AsyncDisposableStack();
  const machine = new ProvidedMachine();
  const client = (await serve(machine, true, scope)).open();
  await client.machine.applyConfiguration({ data: Buffer.from('version: v1alpha1\n'), mode: Mode.AUTO });
  assert.notEqual(await tagOf(client), 'v1.14.1');
  const name = (await pullOf(client)) ?? assert.fail('no image service');
  assert.equal(name, `registry.example/installer@${artefact.digests.index}`);
  const progress: unknown[] = [];
  const stream = (async () => {
    for await (const one of client.lifecycle.upgrade({ containerd, source: { imageName: name } }))
      progress.push(one.progress?.response?.value);
  })();
  await eventually(() => machine.running === 1, { what: 'the upgrade' });
  machine.report('writes slot B');
  machine.end();
  await stream;
  assert.deepEqual(progress, ['writes slot B\n', 0]);
  assert.equal(await tagOf(client), 'v1.14.0', 'an upgrade restarts nothing');
  const before = await bootIdOf(client);
  await client.machine.reboot({});
  assert.notEqual(await bootIdOf(client), before);
  assert.equal(await tagOf(client), 'v1.14.1');
  assert.deepEqual(machine.asked, [`apply ${Mode.AUTO}`, 'reboot']);
  // What the upgrade was given is in the store: it needs no registry.
  assert.deepEqual(
    (await machine.store.list()).map(({ reference }) => reference),
    [image],
  );
});

test('where Pull is UNIMPLEMENTED the provider uses the older call, and waits for another version', async () => {
  await using scope = new AsyncDisposableStack();
  const machine = new ProvidedMachine();
  const client = (await serve(machine, false, scope)).open();
  assert.equal(await pullOf(client), undefined);
  const { messages } = await client.machine.upgrade({ image, preserve: true });
  assert.equal(messages?.length, 1);
  await eventually(() => machine.running === 1, { what: 'the upgrade' });
  machine.end();
  await eventually(async () => (await tagOf(client)) === 'v1.14.1', { what: 'the new version' });
});

test('a client that is killed in the middle changes nothing, and the next one finds the upgrade running', async () => {
  await using scope = new AsyncDisposableStack();
  const machine = new ProvidedMachine();
  const { open } = await serve(machine, true, scope);
  const killed = open();
  const death = new AbortController();
  const request = { containerd, source: { imageName: (await pullOf(killed)) ?? '' } };
  const stream = (async () => {
    for await (const _one of killed.lifecycle.upgrade(request, { signal: death.signal }));
  })();
  stream.catch(() => {});
  await eventually(() => machine.running === 1, { what: 'the upgrade' });
  death.abort();
  await assert.rejects(stream);
  const next = open();
  const second = async () => {
    for await (const _one of next.lifecycle.upgrade(request));
  };
  await assert.rejects(second, { details: 'another installation/upgrade is already in progress' });
  assert.equal(machine.running, 1);
  machine.end();
  await eventually(() => machine.running === 0, { what: 'the end of the first upgrade' });
  const third = second();
  await eventually(() => machine.running === 1, { what: 'another upgrade' });
  machine.end();
  await third;
});
