import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Slot, slotFolderFiles } from '@nodewright/boot';
import { ownedByCluster } from '@nodewright/containers/docker/owned-reference';
import { containerPaths } from '@nodewright/contract';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { parse } from 'yaml';
import type { ClusterFolder } from '../../cluster/cluster-folder.ts';
import { writePrivateFile } from '../../cluster/write-private-file.ts';
import { encodeNodeWish, parseNodeWish, wishBytes } from '../../domain/node-wish.ts';
import type {
  KeptSystem,
  NodeSystemFacts,
  SystemEffect,
  SystemRecord,
} from '../../domain/plan-node-system.ts';
import type { StackDocument } from '../../domain/stack-document.ts';
import { withSystem } from '../../domain/whole-node.ts';
import type { Engine } from '../../engine/index.ts';
import { composeWords } from '../stack-engine.ts';
import { listContainers, type StackContainer } from '../stack-objects.ts';
import { writeEscapedStackFile } from '../write-stack-file.ts';
import { readNodeFile, writeNodeFile } from './node-files.ts';
import type { NodeSystemPort } from './settle-node.ts';
import { readSystemRecord, writeSystemRecord } from './system-record.ts';
import { takeArtefact } from './take-artefact.ts';

export interface NodeContainerInit {
  readonly engine: Engine;
  readonly folder: ClusterFolder;
  readonly cluster: string;
  readonly node: string;
  /** Ends what takes long. */
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Runs one after another what changes the compose file of the cluster. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Two containers of one node: a replacement was interrupted. It is done again. */
const severalContainers = 'several';

/** The container of a node, its images and its record. */
export class NodeContainer implements NodeSystemPort {
  readonly #init: NodeContainerInit;
  readonly #prefix: string;

  constructor(init: NodeContainerInit) {
    this.#init = init;
    this.#prefix = `${ownedByCluster(init.cluster)}${init.node}/system:`;
  }

  record(): SystemRecord {
    return readSystemRecord(this.#init.folder, this.#init.node);
  }

  async container(): Promise<StackContainer | undefined> {
    const { engine, folder, node } = this.#init;
    const own = (await listContainers(engine, folder.path)).filter(({ service }) => service === node);
    const chosen = own.find(({ isRunning }) => isRunning) ?? own[0];
    const isClear = own.length <= 1 || chosen?.isRunning;
    return chosen && (isClear ? chosen : { ...chosen, system: severalContainers });
  }

  /** What the node has written in the folder of its slots. */
  async read(name: string, mostBytes: number): Promise<Buffer | undefined> {
    const container = await this.container();
    return (
      container && readNodeFile(this.#init.engine, container.id, `${containerPaths.slots}/${name}`, mostBytes)
    );
  }

  async facts(): Promise<Omit<NodeSystemFacts, 'mayStart' | 'refused'>> {
    const { engine } = this.#init;
    const container = await this.container();
    const names = await engine.run(['image', 'ls', '--format', '{{.Repository}}:{{.Tag}}']);
    const bytes = await this.read(slotFolderFiles.choice, wishBytes);
    return {
      record: this.record(),
      container,
      images: new Set(names.split('\n').filter((name) => name.startsWith(this.#prefix))),
      wish: bytes && parseNodeWish(bytes),
    };
  }

  failed(effect: SystemEffect, error: unknown): void {
    const { node, log } = this.#init;
    const facts = { node, step: effect.kind, error: faultFrom(error).message };
    log.warn(facts, 'a step of the systems of a node has failed');
  }

  async carryOut(effect: SystemEffect): Promise<void> {
    const { engine, node, log } = this.#init;
    if (effect.kind !== 'start') log.info({ node, step: effect.kind }, 'the systems of a node change');
    switch (effect.kind) {
      case 'keep image': {
        const { id } = await this.#required();
        const image = (await engine.run(['container', 'inspect', '--format', '{{.Image}}', id])).trim();
        const kept = this.record().slots[effect.slot];
        if (kept === undefined) throw new Fault('internal', `slot ${effect.slot} has no system`);
        const tag = this.#tagOf(kept.id);
        await engine.run(['tag', image, tag]);
        return this.#keep(effect.slot, { ...kept, image: tag });
      }
      case 'load':
        return this.#load(effect.slot, effect.digest);
      case 'store':
        return this.#store(effect.record);
      case 'forget once': {
        const { id } = await this.#required();
        const file = [slotFolderFiles.choice, encodeNodeWish(effect.wish)] as const;
        return writeNodeFile(engine, id, containerPaths.slots, file);
      }
      case 'place':
        return this.#init.alone(() => this.#place(effect.slot));
      case 'try':
        await this.#store(effect.record);
        return this.#start();
      case 'start':
        return this.#start();
      case 'remove image':
        await engine.run(['rmi', effect.image]);
        return;
      default:
        throw new Fault('internal', `${effect.kind} is nothing to do`);
    }
  }

  async #load(slot: Slot, digest: string): Promise<void> {
    const { engine, folder, node, signal } = this.#init;
    const { id: container } = await this.#required();
    const record = this.record();
    const image = this.#tagOf(digest);
    const certificates = await takeArtefact({
      ...{ engine, container, digest, image, signal },
      certificates: record.slots[record.default]?.certificates ?? [],
      scratch: join(folder.scratch, node),
    });
    await this.#keep(slot, { id: digest, image, certificates });
  }

  /** Compose makes the new container before it removes the old one, so the engine always has one. All options but three are those of its file. */
  async #place(slot: Slot): Promise<void> {
    const { engine, folder, cluster, node } = this.#init;
    const system = this.record().slots[slot];
    if (system?.image === undefined) throw new Fault('internal', `slot ${slot} has no image`);
    const before = await readFile(folder.composeFile, 'utf8');
    const document = parse(before) as StackDocument;
    const service = document.services[node];
    if (service === undefined) throw new Fault('data-loss', `${folder.composeFile} has no service ${node}`);
    const changed = withSystem(service, { image: system.image, slot, system: system.id });
    await writeEscapedStackFile(folder, {
      ...document,
      services: { ...document.services, [node]: changed },
    });
    const words = ['create', '--no-build', '--pull', 'never', '--force-recreate', node];
    try {
      await engine.run([...composeWords(folder, cluster), ...words], { isWhole: true });
    } catch (error) {
      // Otherwise a later `docker compose up` would start a system that was not tried.
      await writePrivateFile(folder.composeFile, before);
      throw error;
    }
  }

  async #start(): Promise<void> {
    const { id } = await this.#required();
    await this.#init.engine.run(['start', id]);
  }

  #keep(slot: Slot, system: KeptSystem): Promise<void> {
    const record = this.record();
    return this.#store({ ...record, slots: { ...record.slots, [slot]: system } });
  }

  #store(record: SystemRecord): Promise<void> {
    return writeSystemRecord(this.#init.folder, this.#init.node, record);
  }

  async #required(): Promise<StackContainer> {
    const container = await this.container();
    if (container === undefined) throw new Fault('not-found', `${this.#init.node} has no container`);
    return container;
  }

  #tagOf = (id: string) => `${this.#prefix}${id.replace(':', '-')}`;
}
