// One pass over the manifests of a control plane: applies what is new, and deletes what left the configuration.
import { pauseBy, type Timers } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import type { JsonObject } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import {
  type Inventory,
  type InventoryEntry,
  inventoryData,
  inventoryName,
  readInventory,
} from '../domain/manifests/inventory.ts';
import {
  groupOf,
  hashOf,
  identityFromKey,
  identityOf,
  inventoryKey,
  type KindPlace,
  type ObjectIdentity,
  objectText,
  phaseOf,
  phases,
} from '../domain/manifests/object-identity.ts';
import { decideApply, planPrune, recorded } from '../domain/manifests/plan-apply.ts';
import { isOfServer, type KubernetesObjects } from './kubernetes-objects.ts';

export interface ManifestToApply {
  readonly id: string;
  readonly objects: readonly JsonObject[];
}

export interface ApplyManifestsInit {
  readonly objects: KubernetesObjects;
  /** In the order in which they are applied. */
  readonly manifests: readonly ManifestToApply[];
  /** Whether these are all manifests of the configuration. Otherwise nothing is deleted. */
  readonly isComplete: boolean;
  /** Host name of this control plane. */
  readonly node: string;
  /** Host names of all control planes; `undefined` while they are not known. */
  readonly members: ReadonlySet<string> | undefined;
  readonly timers: Timers;
  readonly log: Logger;
  /** Aborts when this control plane no longer holds the lock. */
  readonly signal: AbortSignal;
}

/** An object that could not be applied or deleted, and why. */
export interface ManifestProblem {
  /** Empty for an object that left the configuration. */
  readonly manifest: string;
  readonly object: string;
  readonly message: string;
}

export interface ApplyOutcome {
  /** Ids of the manifests without a problem. */
  readonly applied: readonly string[];
  readonly problems: readonly ManifestProblem[];
}

/** How many objects fit into the inventory, whose size Kubernetes limits to 1 MiB. */
export const maxObjects = 2_000;

/** The API server serves a new kind soon after its definition. */
const newKindTimeoutMs = 10_000;
const newKindPollMs = 250;

const configMapPlace: KindPlace = { resource: 'configmaps', isNamespaced: true };
const inventoryIdentity: ObjectIdentity = { apiVersion: 'v1', kind: 'ConfigMap', ...inventoryName };

/**
 * Applies manifests and deletes what left the configuration. A failure of one object does not stop the others. The caller holds
 * the lock, and the inventory is written only if nobody else has written it since this pass has read it.
 *
 * @throws Fault when the API server does not answer, or the inventory cannot be read or written
 */
export async function applyManifests(init: ApplyManifestsInit): Promise<ApplyOutcome> {
  return new ApplyPass(init).run();
}

class ApplyPass {
  readonly #init: ApplyManifestsInit;
  readonly #problems: ManifestProblem[] = [];
  readonly #wanted = new Set<string>();
  /** Kinds whose definitions this pass has applied: their groups. */
  readonly #newGroups = new Set<string>();
  #inventory = new Map<string, InventoryEntry>();
  #stored: JsonObject | undefined;
  #written = '';

  constructor(init: ApplyManifestsInit) {
    this.#init = init;
  }

  async run(): Promise<ApplyOutcome> {
    const { manifests, objects } = this.#init;
    this.#stored = await objects.read(configMapPlace, inventoryIdentity);
    this.#inventory = new Map(readInventory(this.#stored?.data));
    this.#written = textOf(this.#inventory);
    let count = 0;
    for (const { id, objects: all } of manifests) {
      count += all.length;
      if (count > maxObjects) {
        const message = `the manifests have more than ${maxObjects} objects`;
        this.#problems.push({ manifest: id, object: '', message });
        continue;
      }
      for (const phase of phases)
        await this.#applyAll(
          id,
          all.filter((object) => phaseOf(object) === phase),
        );
    }
    if (this.#init.isComplete && count <= maxObjects) await this.#prune();
    await this.#store();
    const failed = new Set(this.#problems.map(({ manifest }) => manifest));
    return {
      applied: manifests.map(({ id }) => id).filter((id) => !failed.has(id)),
      problems: this.#problems,
    };
  }

  async #applyAll(manifest: string, all: readonly JsonObject[]): Promise<void> {
    const { node, objects, log } = this.#init;
    const due: { place: KindPlace; identity: ObjectIdentity; object: JsonObject; hash: string }[] = [];
    for (const object of all) {
      const assumed = identityOf(object, true);
      await this.#attempt(manifest, assumed, async () => {
        const place = await this.#placeOf(assumed);
        const identity = identityOf(object, place.isNamespaced);
        const key = inventoryKey(identity);
        this.#wanted.add(key);
        const hash = hashOf(object);
        const exists = await objects.exists(place, identity);
        const { apiVersion } = identity;
        const { apply, entry } = decideApply(this.#inventory.get(key), node, { apiVersion, hash, exists });
        this.#inventory.set(key, apply ? entry : recorded(entry, node, hash));
        if (apply) due.push({ place, identity, object, hash });
      });
    }
    // What is about to be created is written down first, so that it is still known after a crash in between.
    if (due.length > 0) await this.#store();
    for (const { place, identity, object, hash } of due) {
      await this.#attempt(manifest, identity, async () => {
        await objects.apply(place, identity, object);
        const key = inventoryKey(identity);
        const entry = this.#inventory.get(key);
        if (entry !== undefined) this.#inventory.set(key, recorded(entry, node, hash));
        if (phaseOf(object) === 'definitions') this.#newGroups.add(definedGroup(object));
        log.info({ manifest, object: objectText(identity) }, 'object of a manifest applied');
      });
    }
  }

  /** @throws Fault `not-found` for a kind that the API server does not know */
  async #placeOf(identity: ObjectIdentity): Promise<KindPlace> {
    const { objects, timers, signal } = this.#init;
    const { apiVersion, kind } = identity;
    const endMs = timers.monotonicMs() + (this.#newGroups.has(groupOf(apiVersion)) ? newKindTimeoutMs : 0);
    for (;;) {
      const place = await objects.placeOf(apiVersion, kind);
      if (place !== undefined) return place;
      signal.throwIfAborted();
      if (timers.monotonicMs() >= endMs) break;
      await pauseBy(timers, newKindPollMs, signal);
    }
    // Nobody knows whether the kind has namespaces, so both keys count as wanted, and nothing is deleted.
    for (const namespace of [identity.namespace, ''])
      this.#wanted.add(inventoryKey({ ...identity, namespace }));
    throw new Fault('not-found', `the API server knows no kind ${kind} of ${apiVersion}`);
  }

  async #prune(): Promise<void> {
    const { node, members, objects, log } = this.#init;
    const { remove, keep, left } = planPrune(this.#inventory, node, this.#wanted, members);
    for (const { key, reason } of keep)
      log.info({ object: key, reason }, 'object left the configuration and stays');
    const before = this.#inventory;
    this.#inventory = new Map(left);
    // What was applied last often depends on what was applied first.
    for (const key of remove.toReversed()) {
      const identity = identityFromKey(key, before.get(key)?.apiVersion ?? '');
      if (identity === undefined) continue;
      const isGone = await this.#attempt('', identity, async () => {
        const current = await this.#servedAs(identity);
        if (current === undefined) return;
        await objects.remove(current.place, current.identity);
        log.info({ object: objectText(identity) }, 'object that left the configuration deleted');
      });
      const entry = before.get(key);
      if (!isGone && entry !== undefined) this.#inventory.set(key, { ...entry, appliedBy: {} });
    }
  }

  /** How an object of an earlier configuration is served now; `undefined` when its kind is gone, and so the object. */
  async #servedAs(
    identity: ObjectIdentity,
  ): Promise<{ readonly place: KindPlace; readonly identity: ObjectIdentity } | undefined> {
    const { objects } = this.#init;
    const place = await objects.placeOf(identity.apiVersion, identity.kind);
    if (place !== undefined) return { place, identity };
    const apiVersion = await objects.preferredVersion(groupOf(identity.apiVersion));
    const other = apiVersion && (await objects.placeOf(apiVersion, identity.kind));
    return other && apiVersion ? { place: other, identity: { ...identity, apiVersion } } : undefined;
  }

  /** @returns whether it succeeded. A failure of one object becomes a problem; one of the whole API server ends the pass. */
  async #attempt(manifest: string, identity: ObjectIdentity, act: () => Promise<void>): Promise<boolean> {
    this.#init.signal.throwIfAborted();
    try {
      await act();
      return true;
    } catch (error) {
      this.#init.signal.throwIfAborted();
      const fault = faultFrom(error);
      if (isOfServer(fault)) throw fault;
      // The API server may quote what it refuses.
      const message = identity.kind === 'Secret' ? `refused: ${fault.kind}` : fault.message;
      this.#problems.push({ manifest, object: objectText(identity), message });
      return false;
    }
  }

  async #store(): Promise<void> {
    const text = textOf(this.#inventory);
    if (text === this.#written) return;
    const metadata = (this.#stored?.metadata as JsonObject | undefined) ?? {
      ...inventoryName,
      labels: { 'cli-utils.sigs.k8s.io/inventory-id': inventoryName.name },
    };
    this.#stored = await this.#init.objects.write(configMapPlace, inventoryIdentity, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      data: inventoryData(this.#inventory),
    });
    this.#written = text;
  }
}

const textOf = (inventory: Inventory) => JSON.stringify([...inventory]);

function definedGroup(definition: JsonObject): string {
  const { group } = (definition.spec ?? {}) as { readonly group?: unknown };
  return typeof group === 'string' ? group : '';
}
