// Decides what the keeper of a cluster does with the systems of a node that is one container: which image it runs, and which one it tries.
// The keeper is the boot loader of such a node. The node only says which slot it wants and which artefact that slot has.
import type { Slot } from '@nodewright/boot';

/** The digest of the artefact that a slot has, or `created` for the image that the cluster was created with. */
export type SystemId = string;
export const createdSystem: SystemId = 'created';

/** A system that was checked, and whose image was in the engine when it was recorded. */
export interface KeptSystem {
  readonly id: SystemId;
  /** The keeper's own tag of its image. Undefined: the first image, which has no tag of the keeper yet. */
  readonly image?: string | undefined;
  /** In PEM: those of the keys that may sign the system after it. */
  readonly certificates: readonly string[];
}

/** What the keeper has stored about a node. */
export interface SystemRecord {
  readonly slots: Readonly<Partial<Record<Slot, KeptSystem>>>;
  /** What every start has. It changes only when a system that was tried is confirmed. */
  readonly default: Slot;
  /** `tried`: it is started, or was; it is never started a second time. */
  readonly trial?: { readonly slot: Slot; readonly phase: 'chosen' | 'tried' } | undefined;
}

/** What the node has written. It may be anything: nothing of it is used but slots and digests. */
export interface NodeWish {
  readonly default?: Slot | undefined;
  /** For the next start only. */
  readonly once?: Slot | undefined;
  readonly systems: Readonly<Partial<Record<Slot, SystemId>>>;
}

export interface NodeSystemFacts {
  readonly record: SystemRecord;
  /** The container of the node, with the system that it was made for. */
  readonly container: { readonly system: SystemId; readonly isRunning: boolean } | undefined;
  /** The keeper's tags for this node that the engine has. */
  readonly images: ReadonlySet<string>;
  /** Undefined when it cannot be read, or is damaged. */
  readonly wish: NodeWish | undefined;
  /** Whether a node that does not run is meant to. */
  readonly mayStart: boolean;
  /** Effects that were tried in this pass and failed, as `effectKey()` names them. */
  readonly refused: ReadonlySet<string>;
}

export type SystemEffect =
  /** Gives the image of the container a tag of the keeper, so that the way back stays, and records it. */
  | { readonly kind: 'keep image'; readonly slot: Slot }
  /** Takes the artefact from the node, checks it, loads its image, and records it. */
  | { readonly kind: 'load'; readonly slot: Slot; readonly digest: string }
  | { readonly kind: 'store'; readonly record: SystemRecord }
  /** Replaces what the node has written: without a choice for one start, and with the default that it has. */
  | { readonly kind: 'forget once'; readonly wish: NodeWish }
  /** Replaces the container by one of this system, which does not run yet. */
  | { readonly kind: 'place'; readonly slot: Slot }
  | { readonly kind: 'start' }
  /** Stores the record, and starts the container then: a crash in between counts as a trial that has failed. */
  | { readonly kind: 'try'; readonly record: SystemRecord }
  | { readonly kind: 'remove image'; readonly image: string }
  /** Nothing can be started: neither a container nor an image is left. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'rest' };

export const effectKey = (effect: SystemEffect): string =>
  effect.kind === 'place' ? `place ${effect.slot}` : effect.kind;

/** The next effect. When it is carried out or has failed, the plan is asked again with what is there then. */
export function planNodeSystem(facts: NodeSystemFacts): SystemEffect {
  const { container, mayStart } = facts;
  const effect = trialEffect(facts);
  if (effect !== undefined) return effect;
  const next =
    container?.isRunning === true ? runningEffect(facts) : mayStart ? startEffect(facts) : undefined;
  return next ?? uselessImage(facts) ?? { kind: 'rest' };
}

const may = ({ refused }: NodeSystemFacts, kind: string) => !refused.has(kind);
const hasImage = ({ images }: NodeSystemFacts, system: KeptSystem | undefined) =>
  system?.image !== undefined && images.has(system.image);

function trialEffect(facts: NodeSystemFacts): SystemEffect | undefined {
  const { record, container, wish, mayStart } = facts;
  const { trial } = record;
  // A record that cannot be stored must not keep the node from its start: it starts the default.
  if (trial === undefined || !may(facts, 'store')) return undefined;
  const over = { kind: 'store', record: { ...record, trial: undefined } } as const;
  const system = record.slots[trial.slot];
  if (system === undefined) return over;
  if (trial.phase === 'tried' && wish?.default === trial.slot && wish.systems[trial.slot] === system.id)
    return { kind: 'store', record: { ...record, default: trial.slot, trial: undefined } };
  const isPlaced = container?.system === system.id;
  const tried = { ...record, trial: { slot: trial.slot, phase: 'tried' } } as const;
  if (container?.isRunning) {
    if (!isPlaced) return over;
    return trial.phase === 'tried' ? { kind: 'rest' } : { kind: 'store', record: tried };
  }
  if (trial.phase === 'tried') return over;
  if (!mayStart) return undefined;
  if (wish === undefined) return over;
  if (wish.once !== undefined) return may(facts, 'forget once') ? forgetOnce(facts, wish) : over;
  if (!isPlaced)
    return may(facts, `place ${trial.slot}`) && hasImage(facts, system)
      ? { kind: 'place', slot: trial.slot }
      : over;
  return may(facts, 'try') ? { kind: 'try', record: tried } : over;
}

/** Of a node that runs and tries nothing. */
function runningEffect(facts: NodeSystemFacts): SystemEffect | undefined {
  const { record, container } = facts;
  const system = record.slots[record.default];
  // A trial that has ended, and that somebody started again meanwhile.
  const isOther = container?.system !== system?.id && hasImage(facts, system);
  return isOther && may(facts, `place ${record.default}`)
    ? { kind: 'place', slot: record.default }
    : undefined;
}

/** Of a node that is to be started. */
function startEffect(facts: NodeSystemFacts): SystemEffect {
  const { record, container, wish } = facts;
  if (wish?.once !== undefined && may(facts, 'forget once')) return wishEffect(facts, wish, wish.once);
  const order: readonly Slot[] = record.default === 'A' ? ['A', 'B'] : ['B', 'A'];
  const system = record.slots[record.default];
  if (container?.system !== system?.id) {
    // A container of another system is better than none: only the default replaces it.
    const slots = container === undefined ? order : order.slice(0, 1);
    const slot = slots.find((one) => hasImage(facts, record.slots[one]) && may(facts, `place ${one}`));
    if (slot !== undefined) return { kind: 'place', slot };
    if (container === undefined) return { kind: 'lost' };
  }
  return may(facts, 'start') ? { kind: 'start' } : { kind: 'rest' };
}

function wishEffect(facts: NodeSystemFacts, wish: NodeWish, slot: Slot): SystemEffect {
  const { record, container } = facts;
  const forget = forgetOnce(facts, wish);
  const wanted = wish.systems[slot];
  const wayBack = record.slots[record.default];
  // What runs is never replaced by what a node says that it is.
  if (slot === record.default || wanted === undefined || wayBack === undefined) return forget;
  if (['keep image', 'load', 'store'].some((kind) => !may(facts, kind))) return forget;
  if (!hasImage(facts, wayBack))
    return container?.system === wayBack.id ? { kind: 'keep image', slot: record.default } : forget;
  const kept = record.slots[slot];
  if (kept?.id === wanted && hasImage(facts, kept))
    return { kind: 'store', record: { ...record, trial: { slot, phase: 'chosen' } } };
  return wanted === createdSystem ? forget : { kind: 'load', slot, digest: wanted };
}

/** A default that the node wrote before the trial would confirm a system that has not run yet. */
const forgetOnce = ({ record }: NodeSystemFacts, { systems }: NodeWish): SystemEffect => ({
  kind: 'forget once',
  wish: { default: record.default, once: undefined, systems },
});

/** An image of this node that no slot has any more. */
function uselessImage(facts: NodeSystemFacts): SystemEffect | undefined {
  if (!may(facts, 'remove image')) return undefined;
  const kept = new Set(Object.values(facts.record.slots).map((system) => system?.image));
  const image = [...facts.images].find((one) => !kept.has(one));
  return image === undefined ? undefined : { kind: 'remove image', image };
}
