// The changes of resources of a machine, with the time that the machine gives them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  openTalosClient,
  parseTalosconfig,
  type Resource,
  type ResourceKind,
  type TalosClient,
} from '@nodewright/client';
import { guestAddress } from '@nodewright/provision/machine';
import type { Machine } from '../machine.ts';

/** The beginning or the end of a resource. */
export interface SeenChange {
  readonly kind: 'created' | 'destroyed';
  /** Of the kind, such as `Disks.block.talos.dev`. */
  readonly type: string;
  readonly id: string;
  /** When the machine created it, by the clock of the machine. */
  readonly createdMs: number;
}

/** The changes so far, in the order in which the machine sent those of one kind. Disposing of it ends the watches. */
export interface FollowedResources extends AsyncDisposable {
  readonly seen: readonly SeenChange[];
  /** How often a watch ended, and began again: a machine that shares a busy processor may not answer for long. */
  readonly interruptions: readonly string[];
}

/** Opens a client of the administrator of a machine. @param folder with the `talosconfig` */
export function openMachineClient(folder: string, { api }: Machine): TalosClient {
  const path = join(folder, 'talosconfig');
  const { contexts, context } = parseTalosconfig(readFileSync(path, 'utf8'), path);
  return openTalosClient({ context: contexts.get(context), endpoints: [api], nodes: [guestAddress] });
}

/** A kind of which only the metadata is read. */
// biome-ignore lint/suspicious/noExplicitAny: only the metadata is read
export type FollowedKind = ResourceKind<any>;

/** Watches all resources of these kinds. */
export function followResources(client: TalosClient, kinds: readonly FollowedKind[]): FollowedResources {
  const [seen, interruptions]: [SeenChange[], string[]] = [[], []];
  const stop = new AbortController();
  const ends = kinds.map(async (kind) => {
    const known = new KnownResources(kind.type, seen);
    while (!stop.signal.aborted) {
      try {
        await followOnce(client, kind, known, stop.signal);
      } catch (error) {
        interruptions.push(`${kind.type}: ${error instanceof Error ? error.message : String(error)}`);
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  });
  return {
    ...{ seen, interruptions },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(ends);
    },
  };
}

async function followOnce(
  client: TalosClient,
  kind: FollowedKind,
  known: KnownResources,
  signal: AbortSignal,
): Promise<void> {
  let first: Resource[] | undefined = [];
  for await (const change of client.node(guestAddress).resources.watch(kind, { signal })) {
    if (change.kind === 'bootstrapped') {
      known.replace(first ?? []);
      first = undefined;
    } else if (change.kind === 'created') {
      if (first === undefined) known.add(change.resource);
      else first.push(change.resource);
    } else if (change.kind === 'destroyed') known.remove(change.resource.metadata.id);
  }
}

/** The resources of a kind. What a watch has missed between its end and its next beginning is added from the list. */
class KnownResources {
  readonly #type: string;
  readonly #seen: SeenChange[];
  readonly #createdMs = new Map<string, number>();

  constructor(type: string, seen: SeenChange[]) {
    this.#type = type;
    this.#seen = seen;
  }

  add({ metadata: { id, createdMs } }: Resource): void {
    this.#createdMs.set(id, createdMs);
    this.#seen.push({ kind: 'created', type: this.#type, id, createdMs });
  }

  remove(id: string): void {
    const createdMs = this.#createdMs.get(id);
    if (createdMs === undefined) return;
    this.#createdMs.delete(id);
    this.#seen.push({ kind: 'destroyed', type: this.#type, id, createdMs });
  }

  replace(resources: readonly Resource[]): void {
    const now = new Map(resources.map(({ metadata: { id, createdMs } }) => [id, createdMs]));
    for (const [id, createdMs] of [...this.#createdMs]) if (now.get(id) !== createdMs) this.remove(id);
    for (const resource of resources) if (!this.#createdMs.has(resource.metadata.id)) this.add(resource);
  }
}
