// Random sequences for the planners of aliases and features, on any kernel that link-conformance.ts describes.
import assert from 'node:assert/strict';
import type { KernelLink } from '@nodewright/linux/network';
import fc from 'fast-check';
import type { NetworkStep } from '../domain/network-step.ts';
import { noAliasMemory, planAliases } from '../domain/plan-aliases.ts';
import { noFeatureMemory, planFeatures, type WantedFeatures } from '../domain/plan-features.ts';
import { type LinksUnderTest, Shorthand } from './link-conformance.ts';

const links = ['wire0', 'wire2', 'wire4', 'wire6'];
const features = ['tx-scatter-gather', 'tx-tcp-segmentation', 'rx-gro', 'tx-gso-robust', 'nosuch'];
/** Of somebody else. */
const foreign = 'of others';

interface Wanted {
  readonly aliases: ReadonlyMap<string, string>;
  readonly features: ReadonlyMap<string, WantedFeatures>;
}

export type DeviceAction =
  | { readonly kind: 'want'; readonly wanted: Wanted }
  /** A pass that ends after this number of steps. */
  | { readonly kind: 'pass'; readonly steps: number }
  /** Somebody else gives a link an alias, or switches a feature. */
  | { readonly kind: 'meddle'; readonly link: string; readonly feature: string; readonly isOn: boolean }
  | { readonly kind: 'meddle'; readonly link: string; readonly alias: string };

const link = fc.constantFrom(...links);
const pairs = <T>(value: fc.Arbitrary<T>) =>
  fc.uniqueArray(fc.tuple(link, value), { selector: ([name]) => name }).map((list) => new Map(list));

export const deviceAction: fc.Arbitrary<DeviceAction> = fc.oneof(
  fc.record({
    kind: fc.constant('want' as const),
    wanted: fc.record({
      aliases: pairs(fc.constantFrom('net0', 'net1', 'wire2', foreign)),
      features: pairs(fc.dictionary(fc.constantFrom(...features), fc.boolean(), { maxKeys: 4 })),
    }),
  }),
  fc.record({
    kind: fc.constant('pass' as const),
    steps: fc.oneof(fc.nat(4), fc.constant(Number.POSITIVE_INFINITY)),
  }),
  fc.record({
    ...{ kind: fc.constant('meddle' as const), link, isOn: fc.boolean() },
    feature: fc.constantFrom('tx-scatter-gather', 'rx-gro'),
  }),
  fc.record({ kind: fc.constant('meddle' as const), link, alias: fc.constantFrom('', foreign) }),
);

/** What a link has that plans change. */
interface Devices {
  readonly alias: string;
  readonly isWanted: Readonly<Record<string, boolean | undefined>>;
}

/** A kernel, and the planners with what they remember. */
export class DeviceBench {
  readonly #kernel: LinksUnderTest;
  readonly #of: Shorthand;
  #aliases = noAliasMemory;
  #features = noFeatureMemory;
  #wanted: Wanted = { aliases: new Map(), features: new Map() };
  /** What each link had before a specification named it, or after somebody else changed what none named. */
  readonly #before: Map<string, Devices>;

  constructor(kernel: LinksUnderTest) {
    this.#kernel = kernel;
    this.#of = new Shorthand(kernel);
    this.#before = new Map(links.map((name) => [name, this.#stateOf(name)]));
  }

  #stateOf(name: string): Devices {
    const isWanted = features.map((each) => [each, this.#of.feature(name, each)?.isWanted] as const);
    return { alias: this.#of.link(name).alias, isWanted: Object.fromEntries(isWanted) };
  }

  perform(action: DeviceAction): void {
    if (action.kind === 'want') this.#wanted = action.wanted;
    else if (action.kind === 'pass') this.#pass(action.steps);
    else this.#meddle(action);
  }

  /** What a plan has not remembered yet is what it finds later. */
  #meddle(action: Extract<DeviceAction, { readonly kind: 'meddle' }>): void {
    const { link: name } = action;
    const before = this.#before.get(name) ?? assert.fail();
    const { index } = this.#of.link(name);
    if ('alias' in action) {
      this.#of.change(name, { alias: action.alias });
      if (!this.#aliases.has(index)) this.#before.set(name, { ...before, alias: action.alias });
      return;
    }
    this.#of.switch(name, { [action.feature]: action.isOn });
    if (this.#features.get(index)?.has(action.feature)) return;
    const isWanted = { ...before.isWanted, [action.feature]: action.isOn };
    this.#before.set(name, { ...before, isWanted });
  }

  /** @returns the steps */
  #pass(maxSteps = Number.POSITIVE_INFINITY): readonly NetworkStep[] {
    const aliases = planAliases({
      ...{ wanted: this.#wanted.aliases, before: this.#aliases, links: this.#kernel.links() },
    });
    const plan = planFeatures({
      ...{ wanted: this.#wanted.features, before: this.#features, links: this.#kernel.links() },
      featuresOf: (each: KernelLink) => this.#kernel.featuresOf(each),
    });
    this.#aliases = aliases.owned;
    this.#features = plan.owned;
    const steps = [...aliases.steps, ...plan.steps];
    for (const step of steps.slice(0, maxSteps)) this.#kernel.apply(step);
    return steps;
  }

  /** One pass does everything, and a second one finds nothing to do. */
  settle(): void {
    this.#pass();
    assert.deepEqual(this.#pass(), []);
  }

  release(): void {
    this.#wanted = { aliases: new Map(), features: new Map() };
  }

  /** Compares the kernel with what is wanted, and with what was there before. */
  check(): void {
    for (const name of links) {
      const before = this.#before.get(name) ?? assert.fail();
      const wanted = Object.entries(this.#wanted.features.get(name) ?? {});
      const known = wanted.filter(([each]) => each !== 'nosuch' && each !== 'tx-gso-robust');
      assert.deepEqual(
        this.#stateOf(name),
        {
          alias: this.#wanted.aliases.get(name) ?? before.alias,
          isWanted: { ...before.isWanted, ...Object.fromEntries(known) },
        },
        name,
      );
    }
  }
}

/** Performs a sequence, settles, and takes everything back. */
export function checkSequence(kernel: LinksUnderTest, actions: readonly DeviceAction[]): void {
  const bench = new DeviceBench(kernel);
  for (const action of actions) bench.perform(action);
  bench.settle();
  bench.check();
  bench.release();
  bench.settle();
  bench.check();
}
