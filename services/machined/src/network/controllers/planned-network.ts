// Makes the kernel's network agree with the specifications: it plans, takes the steps, and plans again after each event of the kernel.
import {
  type Controller,
  exclusive,
  type Input,
  type Output,
  type ReconcilePass,
  weak,
} from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import type { NetlinkTopic } from '@nodewright/linux';
import type { KindRef } from '@nodewright/state';
import {
  type AddressSpecSpec,
  addressSpecs,
  ethernetSpecs,
  type LinkSpecSpec,
  linkAliasSpecs,
  linkRefreshes,
  linkSpecs,
  type RouteSpecSpec,
  type RoutingRuleSpecSpec,
  routeSpecs,
  routingRuleSpecs,
} from '@nodewright/state/kinds';
import type { SelectorEvaluator } from '../../base/domain/selectors.ts';
import { isLinkUp } from '../domain/find-link.ts';
import { rulesWithRealNames, withRealNames } from '../domain/link-names.ts';
import { noLinkMemory } from '../domain/link-plan/link-memory.ts';
import { hostsOfEndpoints } from '../domain/link-plan/wireguard-settings.ts';
import { type Layer, mergeHighest, mergeLinks } from '../domain/merge-layers.ts';
import { addressId, routeId, ruleId } from '../domain/network-ids.ts';
import type { NetworkPlan, NetworkStep } from '../domain/network-step.ts';
import type { ProblemSubject } from '../domain/operator.ts';
import { planAddresses } from '../domain/plan-addresses.ts';
import { noAliasMemory, planAliases } from '../domain/plan-aliases.ts';
import { noFeatureMemory, planFeatures } from '../domain/plan-features.ts';
import { planLinks } from '../domain/plan-links.ts';
import { planRoutes } from '../domain/plan-routes.ts';
import { planRules } from '../domain/plan-rules.ts';
import type { EndpointNames } from '../host/endpoint-names.ts';
import { type KernelNetwork, linksWithWireguard } from '../host/kernel-network.ts';
import type { NetworkPort } from '../host/network-port.ts';
import { type AdvertisementsInit, createAdvertisementController } from './advertisements.ts';
import { createLinkAliasConfigController } from './link-alias-config.ts';
import { createLinkModuleController } from './link-module.ts';
import { ModuleWait, type RefusedStep } from './module-wait.ts';
import { inLayers } from './network-config.ts';
import type { NetworkProblems } from './network-problems.ts';
import type { OpenNetwork } from './open-kernel-watch.ts';
import { PlanPace } from './plan-pace.ts';

/** A machine whose network machined may change. */
export interface PlannedNetworkInit {
  readonly port: NetworkPort;
  /** Why a link must stay down, by its name. */
  readonly obstacles: ReadonlyMap<string, string>;
  readonly endpointNames: EndpointNames;
  /** What is done about routers' advertisements. */
  readonly advertisements: AdvertisementsInit;
  readonly selectors: SelectorEvaluator;
}

/** What failed is tried again, also without an event. */
const retryMs = 5000;
/** So is a link whose module is still being loaded. */
const moduleRetryMs = 250;
/** What a driver does not answer or do is tried again. */
const driverRetryMs = 60_000;
/** A step that was taken and is planned again at once: somebody else undoes it, or the kernel understands it differently. */
const repeatMs = 1000;
/** A step that failed may succeed after the next event of the kernel, of which somebody else may cause as many as they like. */
const failedRepeatMs = 100;

export interface PlannedNetworkContext extends PlannedNetworkInit {
  readonly network: OpenNetwork;
  readonly problems: NetworkProblems;
}

/** The controllers of links, addresses, routes and rules. */
export function plannedNetworkControllers(context: PlannedNetworkContext): Controller[] {
  return [
    createLinkModuleController(),
    createLinkAliasConfigController(context),
    createLinkSpecController(context),
    createAdvertisementController({ ...context, ...context.advertisements, routes: context.port, isNamed }),
    createPlanController(context, {
      name: 'network.LinkAliasSpecController',
      subject: 'others',
      inputs: [weak(linkAliasSpecs)],
      topics: ['link'],
      memory: noAliasMemory,
      plan: async (pass, kernel, before) => {
        const specs = await pass.list(linkAliasSpecs);
        const running = specs.filter(({ metadata }) => metadata.phase === 'running');
        const wanted = new Map(running.map(({ metadata, spec }) => [metadata.id, spec.alias]));
        return planAliases({ wanted, before, links: kernel.links() });
      },
    }),
    createPlanController(context, {
      name: 'network.EthernetSpecController',
      subject: 'others',
      inputs: [weak(ethernetSpecs)],
      topics: ['link'],
      memory: noFeatureMemory,
      plan: async (pass, kernel, before) => {
        const specs = await pass.list(ethernetSpecs);
        const running = specs.filter(({ metadata }) => metadata.phase === 'running');
        const wanted = new Map(running.map(({ metadata, spec }) => [metadata.id, spec.features]));
        const made = planFeatures({
          ...{ wanted, before, links: kernel.links(), featuresOf: kernel.featuresOf },
        });
        // A driver sends no event when it can answer again.
        if (made.waiting.length > 0) pass.wakeAfter(driverRetryMs);
        return made;
      },
    }),
    createPlanController(context, {
      name: 'network.AddressSpecController',
      subject: 'addresses',
      inputs: [weak(inLayers(addressSpecs)), weak(inLayers(linkSpecs))],
      topics: ['address', 'link'],
      memory: noKeys,
      plan: async (pass, kernel, owned) => {
        const merge = mergeHighest<AddressSpecSpec>(({ linkName, address }) => addressId(linkName, address));
        const wanted = merge(await runningSpecs(pass, addressSpecs)).map(({ spec }) => spec);
        const links = await runningSpecs<LinkSpecSpec>(pass, linkSpecs);
        const made = new Set(links.filter(({ logical }) => logical).map(({ name }) => name));
        return planAddresses({ wanted, owned, made, links: kernel.links(), addresses: kernel.addresses() });
      },
    }),
    createPlanController(context, {
      name: 'network.RouteSpecController',
      subject: 'others',
      inputs: [weak(inLayers(routeSpecs))],
      // A gateway that cannot be reached now may be reached with the next address.
      topics: ['route', 'address', 'link'],
      memory: noKeys,
      plan: async (pass, kernel, owned) => {
        const merge = mergeHighest<RouteSpecSpec>(routeId);
        const wanted = merge(await runningSpecs(pass, routeSpecs)).map(({ spec }) => spec);
        return planRoutes({ wanted, owned, links: kernel.links(), routes: kernel.routes() });
      },
    }),
    createPlanController(context, {
      name: 'network.RoutingRuleSpecController',
      subject: 'others',
      inputs: [weak(inLayers(routingRuleSpecs))],
      // A rule may name a link by its alias.
      topics: ['rule', 'link'],
      memory: noKeys,
      plan: async (pass, kernel, owned) => {
        const merge = mergeHighest<RoutingRuleSpecSpec>(({ family, priority }) => ruleId(family, priority));
        const wanted = merge(await runningSpecs(pass, routingRuleSpecs)).map(({ spec }) => spec);
        return planRules({
          wanted: rulesWithRealNames(wanted, kernel.links()),
          owned,
          rules: kernel.rules(),
        });
      },
    }),
  ];
}

const noKeys: ReadonlySet<string> = new Set();

/** The specifications of all layers. */
async function runningSpecs<S extends { readonly layer: Layer }>(
  pass: ReconcilePass,
  kind: KindRef<S>,
): Promise<S[]> {
  const all = await pass.list(inLayers(kind));
  return all.filter(({ metadata }) => metadata.phase === 'running').map(({ spec }) => spec);
}

/** Makes, changes and removes links. Source: Talos v1.14: network.LinkSpecController. */
function createLinkSpecController(context: PlannedNetworkContext): Controller {
  const { obstacles, problems, endpointNames } = context;
  let generation = 0;
  const inner = createPlanController(context, {
    name: 'network.LinkSpecController',
    subject: 'addresses',
    inputs: [weak(inLayers(linkSpecs)), weak(inLayers(addressSpecs))],
    topics: ['link', 'address'],
    memory: noLinkMemory,
    outputs: [exclusive(linkRefreshes)],
    async afterSteps(pass, steps) {
      if (!steps.some(({ kind }) => kind === 'configure-wireguard')) return;
      // The kernel reports no event: the next plan sees what it has taken, and the status of the link shows it.
      pass.wakeAfter(0);
      generation += 1;
      await pass.replace(linkRefreshes, [{ id: linkRefreshes.singleton, spec: { generation } }]);
    },
    plan: async (pass, kernel, memory) => {
      const named = (await runningSpecs<LinkSpecSpec>(pass, linkSpecs)).filter(isNamed);
      const ofCommandLine = (await runningSpecs(pass, addressSpecs)).filter(
        ({ layer }) => layer === 'cmdline',
      );
      // An address on a link that is down reaches nobody.
      const missing = planAddresses({
        ...{ wanted: ofCommandLine, owned: new Set(), links: kernel.links().filter(isLinkUp) },
        addresses: kernel.addresses(),
      });
      const hasOne = ofCommandLine.length > missing.waiting.length + missing.steps.length;
      const isConfigured = named.some(({ layer }) => layer === 'configuration' || layer === 'platform');
      // The command line may name a device by another name than the configuration.
      const wanted = mergeLinks(withRealNames(named, kernel.links())).map(({ spec }) => spec);
      const devices = wanted.filter(({ kind }) => kind === 'wireguard');
      return planLinks({
        ...{ wanted, memory },
        endpointAddresses: endpointNames.addressesOf(
          hostsOfEndpoints(devices.map(({ wireguard }) => wireguard)),
        ),
        // Without ip= only as long as no link is configured: others are meant to stay as they are then.
        // Only when a problem says why no address could be set. Before the first attempt no problem is known, and the other links stay
        // down.
        bringsUpAll:
          !hasOne && !(ofCommandLine.length === 0 && isConfigured) && problems.ofAddresses() !== undefined,
        ...{ obstacles, links: linksWithWireguard(kernel) },
      });
    },
  });
  return {
    ...inner,
    async open(source, scope) {
      scope.use(problems.watch(() => source.wake()));
      scope.use(endpointNames.watch(() => source.wake()));
      await inner.open?.(source, scope);
    },
  };
}

/** The default layer names every hardware device, for DHCP, whose operator names those that it runs on: only the loopback device counts. */
const isNamed = ({ name, layer }: LinkSpecSpec) => layer !== 'default' || name === 'lo';

interface PlanControllerInit<Memory> {
  readonly name: string;
  readonly subject: ProblemSubject;
  readonly inputs: readonly Input[];
  readonly topics: readonly NetlinkTopic[];
  /** Of the first plan. */
  readonly memory: Memory;
  readonly plan: (pass: ReconcilePass, kernel: KernelNetwork, memory: Memory) => Promise<NetworkPlan<Memory>>;
  readonly outputs?: readonly Output[];
  /** Called with the steps that the kernel has taken. */
  readonly afterSteps?: (pass: ReconcilePass, steps: readonly NetworkStep[]) => Promise<void>;
}

function createPlanController<Memory>(
  { network, port, problems }: PlannedNetworkContext,
  { name, subject, inputs, topics, memory, plan, outputs = [], afterSteps }: PlanControllerInit<Memory>,
): Controller {
  let owned = memory;
  const taken = new TakenSteps();
  const modules = new ModuleWait();
  const pace = new PlanPace();
  return {
    ...{ name, inputs, outputs },
    async open(source, scope) {
      const kernel = await network();
      const onChange = () => {
        taken.hasEvent = true;
        source.wake();
      };
      scope.use(kernel.watch(topics, { onChange, onError: (error) => source.fail(error) }));
    },
    async reconcile(pass) {
      const begunMs = pass.monotonicMs();
      const restMs = pace.restMs(begunMs);
      if (restMs > 0) return pass.wakeAfter(restMs);
      const made = await plan(pass, await network(), owned);
      pace.made(begunMs, pass.monotonicMs());
      const waitMs = taken.waitMs(made.steps, pass.monotonicMs());
      // The whole plan waits, because its steps may depend on each other.
      if (waitMs > 0) return pass.wakeAfter(waitMs);
      // Before the first step, so that what a pass leaves behind that ends in the middle is known to the next one.
      owned = made.owned;
      taken.hasEvent = false;
      const done: NetworkStep[] = [];
      const refused: RefusedStep[] = [];
      for (const step of made.steps) {
        const message = failureOf(port, step);
        const atMs = pass.monotonicMs();
        if (message === undefined) done.push(step);
        else refused.push({ step, message });
        const isLoading = message !== undefined && modules.isLoading({ step, message }, atMs);
        taken.add(step, { atMs, hasFailed: message !== undefined, isLoading });
      }
      const { loading, failures } = modules.sort(refused, pass.monotonicMs());
      if (failures.length > 0) pass.wakeAfter(retryMs);
      if (loading.length > 0) pass.wakeAfter(moduleRetryMs);
      problems.set(name, [
        ...[...made.waiting, ...failures].map((line) => ({ subject, line })),
        ...[...(made.deferred ?? []), ...loading].map((line) => ({ subject: 'others' as const, line })),
      ]);
      await afterSteps?.(pass, done);
    },
  };
}

interface TakenStep {
  readonly atMs: number;
  readonly hasFailed: boolean;
  /** It may succeed soon, also without an event. */
  readonly isLoading: boolean;
}

/** When steps were last taken, so that a fight with somebody who undoes them costs little. */
class TakenSteps {
  readonly #byStep = new Map<string, TakenStep>();
  /** Whether the kernel has reported a change since the last steps began. */
  hasEvent = false;

  /** How long a plan with these steps must wait; 0 or less: not at all. */
  waitMs(steps: readonly NetworkStep[], nowMs: number): number {
    for (const [step, { atMs }] of this.#byStep) if (nowMs - atMs >= repeatMs) this.#byStep.delete(step);
    const waits = steps.flatMap((step) => {
      const last = this.#byStep.get(JSON.stringify(step));
      if (last === undefined) return [];
      const pauseMs = last.isLoading || (last.hasFailed && this.hasEvent) ? failedRepeatMs : repeatMs;
      return [last.atMs + pauseMs - nowMs];
    });
    return Math.max(0, ...waits);
  }

  add(step: NetworkStep, how: TakenStep): void {
    this.#byStep.set(JSON.stringify(step), how);
  }
}

/** Why the kernel refuses the step; undefined when it has taken it. */
function failureOf(port: NetworkPort, step: NetworkStep): string | undefined {
  try {
    port.apply(step);
    return undefined;
  } catch (error) {
    return faultFrom(error).message;
  }
}
