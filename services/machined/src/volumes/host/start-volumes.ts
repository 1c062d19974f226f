import { volumeIds } from '@nodewright/contract/volumes';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import type { PlannedVolume, VolumePlan } from '../domain/plan/volume-plan.ts';
import type { WayBackEnd } from '../domain/plan/way-back.ts';
import { mountOfVolume, type NamedVolume, systemVolumes } from '../domain/system-volumes.ts';
import type { GivenFacts, VolumeHost } from '../domain/volume-host.ts';

/** A volume that the start waits for. */
interface AwaitedVolume {
  readonly volume: NamedVolume;
  state: 'pending' | 'mounted' | 'failed';
  /** Of STATE: it is not tried again in this start. */
  failure?: Fault;
}

/**
 * The volumes of a machine while it starts. STATE has the configuration of the node, from which everything else follows, and the disk that
 * the machine was started from has it or gets it. So STATE, and IMAGECACHE with it, waits for no other devices, and is mounted as soon as
 * it is there: then a failed mount is a failure of the volume, which its status shows.
 */
export class StartVolumes implements VolumeHost {
  readonly #host: VolumeHost;
  readonly #log: Pick<Logger, 'error' | 'warn'>;
  readonly #awaited: ReadonlyMap<string, AwaitedVolume>;
  readonly #started = Promise.withResolvers<void>();

  constructor(host: VolumeHost, log: Pick<Logger, 'error' | 'warn'>) {
    this.#host = host;
    this.#log = log;
    const all = systemVolumes({ ...pickFacts(host), machineType: undefined });
    this.#awaited = new Map(
      all
        .filter(({ id }) => id === volumeIds.state || id === volumeIds.imageCache)
        .map((volume) => [volume.id, { volume, state: 'pending' }]),
    );
  }

  get hasPartitions(): boolean {
    return this.#host.hasPartitions;
  }

  get hasImageCache(): boolean {
    return this.#host.hasImageCache;
  }

  async settle(volume: PlannedVolume, given: GivenFacts): Promise<VolumePlan> {
    const awaited = this.#awaited.get(volume.id);
    if (awaited === undefined || awaited.state === 'mounted') return this.#host.settle(volume, given);
    if (awaited.failure !== undefined) throw awaited.failure;
    try {
      const plan = await this.#host.settle(volume, {
        ...{ areDevicesKnown: true, isParentMounted: true, selection: undefined },
        mount: mountOfVolume(awaited.volume),
      });
      if (plan.refusal !== undefined) throw new Fault(plan.refusal.kind, plan.refusal.message);
      if (plan.waitsFor === undefined) this.#end(awaited, 'mounted');
      return plan;
    } catch (error) {
      this.fail(volume.id, error);
      throw awaited.failure ?? error;
    }
  }

  leave(id: string, end: WayBackEnd): Promise<void> {
    return this.#host.leave(id, end);
  }

  /** The start goes on without the volume. */
  fail(id: string, error: unknown): void {
    const awaited = this.#awaited.get(id);
    if (awaited === undefined) return;
    const { kind, message } = faultFrom(error);
    const isFirst = awaited.state === 'pending';
    if (id === volumeIds.state) {
      // Mounted later, it would hide the configuration that the node has got in the meantime.
      awaited.failure = new Fault(kind, `${message} (tried again at the next start)`, { cause: error });
      this.#log.error(
        { error: message },
        'STATE cannot be used: the configuration is in memory, and lost at the next start',
      );
    } else if (isFirst) {
      // Without it images come from registries, so a failure is no reason to stop.
      this.#log.warn({ error: message }, 'the images on the disk cannot be used');
    }
    this.#end(awaited, 'failed');
  }

  /** Resolves to those that are mounted when each of them is mounted or has failed. */
  async started(): Promise<readonly string[]> {
    await this.#started.promise;
    return this.#all().flatMap(({ volume, state }) => (state === 'mounted' ? [volume.id] : []));
  }

  #all(): AwaitedVolume[] {
    return [...this.#awaited.values()];
  }

  #end(awaited: AwaitedVolume, state: AwaitedVolume['state']): void {
    awaited.state = state;
    if (this.#all().every((each) => each.state !== 'pending')) this.#started.resolve();
  }
}

const pickFacts = ({ hasPartitions, hasImageCache }: VolumeHost) => ({ hasPartitions, hasImageCache });
