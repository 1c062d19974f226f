// An engine with the container of one node, the node, and the disk of the keeper. Everything that the keeper does can fail, and the keeper can
// be killed before and after each of its writes.
import type { Slot } from '@nodewright/boot';
import type { NodeSystemPort } from '../docker/systems/settle-node.ts';
import {
  createdSystem,
  type NodeSystemFacts,
  type NodeWish,
  type SystemEffect,
  type SystemId,
  type SystemRecord,
} from '../domain/plan-node-system.ts';

/** The keeper was killed. */
export class KeeperKilled extends Error {}

export class SimulatedNodeContainer implements NodeSystemPort {
  record: SystemRecord = {
    slots: { A: { id: createdSystem, certificates: [] } },
    default: 'A',
  };
  readonly images = new Set<string>();
  container: { system: SystemId; isRunning: boolean } | undefined = {
    system: createdSystem,
    isRunning: true,
  };
  wish: NodeWish | undefined;
  /** The artefacts whose signature is that of the key. */
  readonly sound = new Set<string>();
  /** What was started, in this order. */
  readonly started: SystemId[] = [];
  readonly failures: string[] = [];
  /** How many more changes the keeper makes before it is killed. */
  changesLeft = Number.POSITIVE_INFINITY;
  /** The effects that fail. */
  failing = new Set<string>();

  async facts(): Promise<Omit<NodeSystemFacts, 'mayStart' | 'refused'>> {
    return {
      record: this.record,
      container: this.container && { ...this.container },
      images: new Set(this.images),
      wish: this.wish,
    };
  }

  failed(effect: SystemEffect): void {
    this.failures.push(effect.kind);
  }

  async carryOut(effect: SystemEffect): Promise<void> {
    if (this.failing.has(effect.kind)) throw new Error(`${effect.kind} failed`);
    switch (effect.kind) {
      case 'keep image': {
        const system = this.record.slots[effect.slot];
        if (system === undefined || this.container?.system !== system.id) throw new Error('no such image');
        const image = imageOf(system.id);
        this.#change(() => this.images.add(image));
        return this.#store(effect.slot, { ...system, image });
      }
      case 'load': {
        if (!this.sound.has(effect.digest)) throw new Error('the artefact is not signed');
        const image = imageOf(effect.digest);
        this.#change(() => this.images.add(image));
        return this.#store(effect.slot, { id: effect.digest, image, certificates: ['new'] });
      }
      case 'store':
        return this.#change(() => {
          this.record = effect.record;
        });
      case 'forget once':
        return this.#change(() => {
          this.wish = effect.wish;
        });
      case 'place': {
        const system = this.record.slots[effect.slot];
        if (system?.image === undefined || !this.images.has(system.image)) throw new Error('no such image');
        return this.#change(() => {
          this.container = { system: system.id, isRunning: false };
        });
      }
      case 'try':
        this.#change(() => {
          this.record = effect.record;
        });
        return this.#start();
      case 'start':
        return this.#start();
      case 'remove image':
        return this.#change(() => this.images.delete(effect.image));
      default:
        throw new Error(`${effect.kind} is nothing to do`);
    }
  }

  #start(): void {
    this.#change(() => {
      if (this.container === undefined) throw new Error('there is no container');
      this.container.isRunning = true;
      this.started.push(this.container.system);
    });
  }

  #store(slot: Slot, system: NonNullable<SystemRecord['slots'][Slot]>): void {
    this.#change(() => {
      this.record = { ...this.record, slots: { ...this.record.slots, [slot]: system } };
    });
  }

  #change(change: () => void): void {
    if (this.changesLeft <= 0) throw new KeeperKilled();
    this.changesLeft -= 1;
    change();
  }
}

const imageOf = (id: SystemId) => `kept/${id}`;
