import { once } from 'node:events';
import { isOneToManyMethod, methodTable } from '@nodewright/contract';
import type { Data, Metadata } from '@nodewright/contract/gen/common/common.ts';
import {
  type DmesgRequest,
  type Event,
  type EventsRequest,
  type LogsRequest,
  type NetstatRequest,
  NetstatRequest_Filter,
  type NetstatResponse,
  type ReadRequest,
} from '@nodewright/contract/gen/machine/machine.ts';
import { machineServices } from '@nodewright/contract/machine-services';
import type { RpcService } from '@nodewright/rpc';
import { createStateService } from '@nodewright/state/wire';
import type { CallContext } from 'nice-grpc';
import type { MessageCodec } from '../support/recorded-call.ts';
import { lastOf, pastEvents } from './past-events.ts';
import { notRecorded, type RecordedNode } from './recorded-node.ts';
import { cannotChange } from './recorded-state.ts';
import type { NodeDirectory } from './select-nodes.ts';

interface MethodDefinition {
  readonly name: string;
  readonly requestType: MessageCodec;
  readonly responseType: MessageCodec;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
}

/** A response with a message per node, as most unary methods have. */
interface Joined {
  readonly messages: readonly { readonly metadata?: Metadata }[];
}

const stateService = 'cosi.resource.State';

export interface ReplayServicesInit {
  readonly nodes: NodeDirectory;
  /** When the archive was collected, in Unix ms, if it says so. */
  readonly collectedMs: number | undefined;
  /** Unix ms. */
  readonly now: () => number;
  /** Ends the watches. */
  readonly stopSignal: AbortSignal;
}

/** The API of the nodes of an archive: every service, with what was recorded of it. */
export function replayServices({ nodes, collectedMs, now, stopSignal }: ReplayServicesInit): RpcService[] {
  const stateOf = (context: CallContext) => {
    const [selected] = nodes.select(namesIn(context));
    if (selected === undefined) throw notRecorded(`/${stateService}/Get`);
    return selected.node.state;
  };
  const others = machineServices.filter(({ fullName }) => fullName !== stateService);
  return [
    createStateService({ stateOf, codecs: new Map(), now, stopSignal }),
    ...others.map((definition) => ({
      definition: definition as RpcService['definition'],
      implementation: Object.fromEntries(
        Object.entries<MethodDefinition>(definition.methods as never).map(([key, method]) => [
          key,
          handlerOf(`/${definition.fullName}/${method.name}`, method, nodes, collectedMs),
        ]),
      ),
    })),
  ];
}

/** What the caller wrote behind `-n`. Source: Talos v1.14: apid, metadata. */
function namesIn({ metadata }: CallContext): string[] {
  const several = metadata.getAll('nodes').map(String);
  return several.length > 0 ? several : metadata.getAll('node').map(String);
}

function handlerOf(
  path: string,
  method: MethodDefinition,
  nodes: NodeDirectory,
  collectedMs: number | undefined,
): unknown {
  if (methodTable[path]?.mutates === true) return refusing(method, cannotChange);
  switch (path) {
    case '/machine.MachineService/Logs':
      return lineStream(nodes, (node, { id, tailLines }: LogsRequest) => lastOf(node.log(id), tailLines));
    case '/machine.MachineService/Dmesg':
      return lineStream(nodes, (node, { tail }: DmesgRequest) => (tail ? [] : node.kernelLog()));
    case '/machine.MachineService/Read':
      return byteStream(nodes, (node, { path: file }: ReadRequest) => node.file(file));
    case '/machine.MachineService/Events':
      return eventStream(nodes, collectedMs);
    default:
      return method.requestStream || method.responseStream
        ? refusing(method, () => notRecorded(path))
        : unary(path, method, nodes);
  }
}

function refusing({ responseStream }: MethodDefinition, fault: () => Error): unknown {
  if (!responseStream) return async () => Promise.reject(fault());
  // biome-ignore lint/correctness/useYield: a stream that fails at once
  return async function* () {
    throw fault();
  };
}

function unary(path: string, { requestType, responseType }: MethodDefinition, nodes: NodeDirectory) {
  return async (request: unknown, context: CallContext): Promise<unknown> => {
    const names = namesIn(context);
    const isJoined = isOneToManyMethod(path) && context.metadata.getAll('nodes').length > 0;
    const encoded = requestType.encode(request).finish();
    const responses = nodes.select(isJoined ? names : names.slice(0, 1)).map(({ name, node }) => {
      const response = responseType.decode(node.answer(path, encoded));
      const shown = path.endsWith('/Netstat')
        ? withFilter(response as NetstatResponse, request as NetstatRequest)
        : response;
      return isJoined ? named(shown as Joined, name) : shown;
    });
    const [first] = responses;
    return isJoined ? { messages: responses.flatMap((response) => (response as Joined).messages) } : first;
  };
}

const named = ({ messages }: Joined, hostname: string): Joined => ({
  messages: messages.map((message) => ({ ...message, metadata: { hostname, error: '', status: undefined } })),
});

/** All sockets were recorded; a caller gets those that it asked for. Source: Talos v1.14: Netstat. */
function withFilter({ messages }: NetstatResponse, { filter, l4proto }: NetstatRequest): NetstatResponse {
  const unspecified = new Set(['0.0.0.0', '::', '']);
  const wanted = new Set(
    Object.entries(l4proto ?? {}).flatMap(([name, isWanted]) => (isWanted ? [name] : [])),
  );
  return {
    messages: messages.map((message) => ({
      ...message,
      connectrecord: message.connectrecord.filter((record) => {
        if (!wanted.has(record.l4proto)) return false;
        if (filter === NetstatRequest_Filter.ALL) return true;
        const hasPeer = record.remoteport !== 0 && !unspecified.has(record.remoteip);
        return hasPeer === (filter === NetstatRequest_Filter.CONNECTED);
      }),
    })),
  };
}

type LineSource<R> = (
  node: ReturnType<NodeDirectory['select']>[number]['node'],
  request: R,
) => readonly string[];

/** A stream that ends with the recorded lines, also for a caller who wants to follow: nothing more will come. */
function lineStream<R>(nodes: NodeDirectory, linesOf: LineSource<R>) {
  return async function* (request: R, context: CallContext): AsyncGenerator<Partial<Data>> {
    const isJoined = context.metadata.getAll('nodes').length > 0;
    for (const { name, node } of nodes.select(namesIn(context))) {
      const metadata = isJoined ? { hostname: name, error: '', status: undefined } : undefined;
      for (const line of linesOf(node, request)) {
        context.signal.throwIfAborted();
        yield { ...(metadata === undefined ? {} : { metadata }), bytes: Buffer.from(`${line}\n`) };
      }
    }
  };
}

/** Bytes that one message carries. */
const messageBytes = 32 * 1024;

function byteStream<R>(nodes: NodeDirectory, bytesOf: (node: RecordedNode, request: R) => Uint8Array) {
  return async function* (request: R, context: CallContext): AsyncGenerator<Partial<Data>> {
    for (const { node } of nodes.select(namesIn(context)).slice(0, 1)) {
      const bytes = bytesOf(node, request);
      for (let at = 0; at < bytes.length; at += messageBytes)
        yield { bytes: Buffer.from(bytes.subarray(at, at + messageBytes)) };
    }
  };
}

/** The past events that the caller asks for; then nothing happens any more. Source: Talos v1.14: events. */
function eventStream(nodes: NodeDirectory, collectedMs: number | undefined) {
  return async function* (request: EventsRequest, context: CallContext): AsyncGenerator<Partial<Event>> {
    const selected = nodes.select(namesIn(context));
    const isJoined = context.metadata.getAll('nodes').length > 0;
    // Clients wait for this message: the subscription stands.
    yield {};
    for (const { name, node } of selected) {
      const metadata = isJoined ? { hostname: name, error: '', status: undefined } : undefined;
      for (const event of pastEvents(node.events(), request, collectedMs)) yield { ...event, metadata };
    }
    if (!context.signal.aborted) await once(context.signal, 'abort');
  };
}
