import { systemTimers } from '@nodewright/async';
import type { NodeClient, TalosClient } from '@nodewright/client';
import { Fault, type FaultKind, faultFrom } from '@nodewright/fault';
import {
  codecsOf,
  type EncodedSpec,
  type KindRef,
  pointerTo,
  type ResourceEvent,
  type State,
  type Watch,
} from '@nodewright/state';
import { createStateClient } from '@nodewright/state/wire';
import { CommandLimit } from '../context/command-limit.ts';
import type { CliEnvironment } from '../context/command-module.ts';
import { showWait } from '../context/progress.ts';
import { NodeErrors } from '../nodes/node-errors.ts';
import { escapeLine } from '../output/escape-text.ts';
import { awaitDevices, deviceKinds, devicesNanos } from './await-devices.ts';
import type { ResourceOutput } from './resource-output.ts';
import { shownResource } from './shown-resource.ts';

/** The resources of a node. Only the specs of resource definitions are decoded. */
export function stateOf({ state }: NodeClient): State {
  return createStateClient({ client: state, codecs: definitionCodecs });
}

/** The resources of a node, without decoding any spec. */
export function encodedStateOf({ state }: NodeClient): State {
  return createStateClient({ client: state });
}

const definitionCodecs = codecsOf([]);

/** Failures that say nothing about what the node publishes. */
const unreachable: readonly FaultKind[] = ['cancelled', 'deadline-exceeded', 'unavailable'];

/**
 * Whether the node has read its devices: it is connected to their source, and has discovered what is on them at least once. Undefined
 * when it does not say, as nodes of upstream.
 */
async function hasReadDevices(
  { state, machine }: NodeClient,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const { deviceSourceStatuses, discoveryRefreshStatuses } = await import('@nodewright/state/kinds');
  const codecs = codecsOf([deviceSourceStatuses, discoveryRefreshStatuses]);
  const client = createStateClient({ client: state, codecs });
  const source = await orAbsent(client.get(pointerTo(deviceSourceStatuses), { signal }));
  if (source?.spec.connected !== true) return source?.spec.connected;
  const refresh = await orAbsent(client.get(pointerTo(discoveryRefreshStatuses), { signal }));
  if (refresh !== undefined && refresh.spec.request > 0) return true;
  // A node in a container has no block devices of its own, and never reads any.
  const version = await machine.version({}, { signal });
  return version.messages[0]?.platform?.mode === 'container' ? undefined : false;
}

/** Resolves to undefined when the node answers that it does not publish the resource. */
async function orAbsent<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (unreachable.includes(faultFrom(error).kind)) throw error;
    return undefined;
  }
}

export interface Wanted {
  readonly kind: KindRef<EncodedSpec>;
  /** The id of one resource; `undefined` for all resources of the kind. */
  readonly id: string | undefined;
  /** Whether devices that are missing are asked for again while the machine still reads them. */
  readonly awaitsDevices?: boolean;
}

/** Prints the resources of one node after the other. @throws ReportedFailure when any node failed */
export async function getResources(
  env: CliEnvironment,
  client: TalosClient,
  { kind, id, awaitsDevices = false }: Wanted,
  output: ResourceOutput,
): Promise<void> {
  const errors = new NodeErrors(env);
  for (const node of client.targets) {
    if (env.signal.aborted) break;
    try {
      const waits = awaitsDevices && deviceKinds.includes(kind.type);
      const call = waits ? awaitedOf(env, node, { kind, id }) : foundOf(node, { kind, id }, env.signal);
      const found = await showWait(env.stderr, node.name, call);
      for (const resource of found) await output.add(shownResource(node.name, resource));
    } catch (error) {
      errors.add(node.name, faultFrom(error));
    }
  }
  await output.flush();
  errors.end();
}

/** @throws Fault `not-found` for an id that the node does not have */
async function foundOf(node: NodeClient, { kind, id }: Wanted, signal: AbortSignal) {
  const state = encodedStateOf(node);
  return id === undefined ? state.list(kind, { signal }) : [await state.get(pointerTo(kind, id), { signal })];
}

/** As `foundOf()`, once the devices of the machine are known. */
async function awaitedOf(env: CliEnvironment, node: NodeClient, wanted: Wanted) {
  using limit = new CommandLimit(devicesNanos, env.signal);
  const { signal } = limit;
  let absent: Fault | undefined;
  const found = await awaitDevices({
    ...{ limit, timers: systemTimers },
    list: () =>
      foundOf(node, wanted, signal).catch((error: unknown) => {
        absent = faultFrom(error);
        if (wanted.id === undefined || absent.kind !== 'not-found') throw absent;
        return [];
      }),
    areRead: () => hasReadDevices(node, signal),
    onWait: () =>
      env.stderr.write(
        `${escapeLine(node.name)}: waiting up to ${limit.text} for the devices of the machine\n`,
      ),
  });
  if (found.length === 0 && absent !== undefined) throw absent;
  return found;
}

/** Prints changes on all nodes until the user presses Ctrl-C or a node fails. @throws ReportedFailure */
export async function watchResources(
  env: CliEnvironment,
  client: TalosClient,
  { kind, id }: Wanted,
  output: ResourceOutput,
): Promise<void> {
  const waiting = new Set(id === undefined ? client.targets.map(({ name }) => name) : []);
  const open = async function* (node: NodeClient, signal: AbortSignal) {
    using watch: Watch<EncodedSpec> = await openWatch(encodedStateOf(node), { kind, id }, signal);
    for await (const events of watch) {
      const failed = events.find((event) => event.kind === 'errored');
      if (failed !== undefined) throw new Fault('aborted', failed.message);
      yield events;
    }
  };
  const errors = new NodeErrors(env);
  const results = client.fanOutStream(open, { signal: env.signal });
  for await (const { node, value, fault } of results) {
    if (fault !== undefined) {
      if (env.signal.aborted) continue;
      errors.add(node, fault);
      break;
    }
    for (const event of value) {
      if (event.kind === 'bootstrapped') waiting.delete(node);
      await show(node, event, { kind, id }, output);
    }
    // Collect the existing resources of all nodes into one table, then print each change at once.
    if (waiting.size === 0) await output.flush();
  }
  await output.flush();
  errors.end();
}

function openWatch(state: State, { kind, id }: Wanted, signal: AbortSignal): Promise<Watch<EncodedSpec>> {
  if (id !== undefined) return state.watch(pointerTo(kind, id), { signal });
  return state.watchKind(kind, { bootstrapContents: true, signal });
}

async function show(
  node: string,
  event: ResourceEvent<EncodedSpec>,
  { kind, id = '' }: Wanted,
  output: ResourceOutput,
): Promise<void> {
  switch (event.kind) {
    case 'created':
    case 'updated':
    case 'destroyed':
      return output.add(shownResource(node, event.resource, event.kind));
    case 'absent':
      return output.add({ node, event: 'destroyed', metadata: metadataOfNothing(kind, id), spec: null });
  }
}

function metadataOfNothing({ namespace, type }: KindRef, id: string) {
  return {
    ...{ namespace, type, id, version: 0, owner: '', phase: 'running' as const, finalizers: [] },
    ...{ labels: {}, annotations: {}, createdMs: 0, updatedMs: 0 },
  };
}
