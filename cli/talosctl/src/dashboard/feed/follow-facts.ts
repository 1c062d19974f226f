import { Fault } from '@nodewright/fault';
import {
  codecsOf,
  type KindRef,
  pointerTo,
  type ResourceEvent,
  type ResourceKind,
  type State,
} from '@nodewright/state';
import {
  diagnostics,
  hostnameStatuses,
  infos,
  linkStatuses,
  machineStatuses,
  machineTypes,
  members,
  networkStatuses,
  nodeAddresses,
  resolverStatuses,
  routeStatuses,
  securityStates,
  specExplanations,
  staticPodStatuses,
  systemInformations,
  timeServerStatuses,
  versions,
} from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import { everywhere, type FactName, type Listed } from '../model/facts.ts';
import { type FeedContext, keepTrying } from './feed-context.ts';

interface Source {
  readonly kind: ResourceKind;
  /** The only resource to follow; undefined: all of the kind. */
  readonly id?: string;
}

/** Source: Talos v1.14: dashboard, watches. */
const sources: Readonly<Record<FactName, Source>> = {
  status: { kind: machineStatuses, id: machineStatuses.singleton },
  type: { kind: machineTypes, id: machineTypes.singleton },
  hostname: { kind: hostnameStatuses, id: hostnameStatuses.singleton },
  version: { kind: versions, id: versions.singleton },
  security: { kind: securityStates, id: securityStates.singleton },
  cluster: { kind: infos, id: infos.singleton },
  network: { kind: networkStatuses, id: networkStatuses.singleton },
  resolvers: { kind: resolverStatuses, id: resolverStatuses.singleton },
  timeServers: { kind: timeServerStatuses, id: timeServerStatuses.singleton },
  machine: { kind: systemInformations, id: systemInformations.singleton },
  explained: { kind: specExplanations, id: 'addresses' },
  members: { kind: members },
  addresses: { kind: nodeAddresses },
  routes: { kind: routeStatuses },
  links: { kind: linkStatuses },
  diagnostics: { kind: diagnostics },
  pods: { kind: staticPodStatuses },
};

const codecs = codecsOf(Object.values(sources).map(({ kind }) => kind));

/**
 * Follows the resources that describe a node. Kinds that it does not have, or that the client may not read,
 * are left out.
 *
 * @param onLost a watch of the node has ended, which is the first sign of a node that goes away
 */
export async function followFacts(
  context: FeedContext,
  isWhole: boolean,
  onLost: () => void = () => {},
): Promise<void> {
  const state = createStateClient({ client: context.node.state, codecs });
  const names = isWhole ? (Object.keys(sources) as FactName[]) : everywhere;
  await Promise.all(names.map((name) => followFact(context, state, name, onLost)));
}

function followFact(
  { signal, emit }: FeedContext,
  state: State,
  name: FactName,
  onLost: () => void,
): Promise<void> {
  const { kind, id } = sources[name];
  const tell = (value: unknown) => emit({ kind: 'facts', facts: { [name]: value } });
  if (id === undefined) return followSpecs(signal, state, kind, tell, onLost);
  return keepTrying(
    signal,
    async () => {
      using watch = await state.watch<unknown>(pointerTo(kind, id), { signal });
      const specs = new Map<string, unknown>();
      for await (const events of watch) {
        for (const event of events) take(specs, event);
        tell(specs.get(id));
      }
    },
    onLost,
  );
}

/**
 * Follows the specs of all resources of a kind, until the signal aborts or a retry is useless.
 *
 * @param onSpecs receives all of them, after each change
 * @param onFailure receives the text of each failure
 */
export function followSpecs<S>(
  signal: AbortSignal,
  state: State,
  kind: KindRef<S>,
  onSpecs: (listed: readonly Listed<S>[]) => void,
  onFailure: (message: string) => void,
): Promise<void> {
  return keepTrying(
    signal,
    async () => {
      using watch = await state.watchKind<S>(kind, { bootstrapContents: true, aggregated: true, signal });
      const specs = new Map<string, S>();
      let isKnown = false;
      for await (const events of watch) {
        for (const event of events) {
          if (event.kind === 'bootstrapped') isKnown = true;
          take(specs, event);
        }
        if (isKnown) onSpecs([...specs].map(([id, spec]) => ({ id, spec })));
      }
    },
    onFailure,
  );
}

function take<S>(specs: Map<string, S>, event: ResourceEvent<S>): void {
  if (event.kind === 'created' || event.kind === 'updated') {
    specs.set(event.resource.metadata.id, event.resource.spec);
  } else if (event.kind === 'destroyed') specs.delete(event.resource.metadata.id);
  else if (event.kind === 'errored') throw new Fault('unavailable', event.message);
}
