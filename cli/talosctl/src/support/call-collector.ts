import type { NodeClient } from '@nodewright/client';
import { Fault, faultFrom, grpcCodeFromKind } from '@nodewright/fault';
import { formatCompactJson } from '../render/json.ts';
import type { CollectContext, Collector } from './collector.ts';
import {
  type MessageCodec,
  type RecordedCall,
  type RecordedMethod,
  recordedCallsName,
  recordedMethods,
} from './recorded-call.ts';
import { type KnownSecrets, SecretFilter } from './secret-filter.ts';
import { maxCallMs, withinSilence } from './silence-limit.ts';

interface UnaryMethod {
  readonly name: string;
  readonly requestType: MessageCodec;
  readonly responseType: MessageCodec;
}

type Call = (request: object, options: { signal: AbortSignal }) => Promise<unknown>;

/**
 * The answers of the node's API, so that commands can be run on the archive later. An answer that is a failure is recorded as
 * one. Secrets are removed from the texts in it.
 */
export const callCollector: Collector = {
  path: recordedCallsName,
  async *collect({ node, signal, timers, secrets }) {
    let lostInRow = 0;
    for (const method of recordedMethods)
      for (const request of method.requests) {
        const call = await record(node, method, request, { signal, timers, secrets });
        yield `${formatCompactJson(call)}\n`;
        lostInRow = isLost(call) ? lostInRow + 1 : 0;
        // The next calls would wait for the same node.
        if (lostInRow === maxLostInRow)
          throw new Fault('unavailable', call.error?.message ?? 'the node does not answer');
      }
  },
};

/** So many calls in a row that a node does not answer show that it is lost. Fewer may be about its etcd or its time server. */
const maxLostInRow = 5;
const lostCodes = (['unavailable', 'deadline-exceeded'] as const).map(grpcCodeFromKind);
const isLost = ({ error }: RecordedCall) => error !== undefined && lostCodes.includes(error.code);

async function record(
  node: NodeClient,
  { definition, key }: RecordedMethod,
  request: object,
  { signal, timers, secrets }: Pick<CollectContext, 'signal' | 'timers' | 'secrets'>,
): Promise<RecordedCall> {
  const { name, requestType, responseType } = definition.methods[key] as UnaryMethod;
  const client = node.service(definition as never) as unknown as Record<string, Call>;
  const encoded = requestType.encode(requestType.fromPartial(request)).finish();
  const about = { method: `/${definition.fullName}/${name}`, request: base64(encoded) };
  try {
    const call = async (stop: AbortSignal) => client[key]?.(request, { signal: stop });
    const response = await withinSilence(call, { signal, timers, silenceMs: maxCallMs });
    return { ...about, response: base64(responseType.encode(withoutSecrets(response, secrets)).finish()) };
  } catch (error) {
    signal.throwIfAborted();
    const { kind, message } = faultFrom(error);
    return {
      ...about,
      error: { code: grpcCodeFromKind(kind), message: new SecretFilter(secrets).text(message) },
    };
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** A copy of a message without secrets in its texts. Other values stay as they are. */
export function withoutSecrets(value: unknown, secrets: KnownSecrets): unknown {
  if (typeof value === 'string') return new SecretFilter(secrets).text(value);
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, secrets));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || value instanceof Date)
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withoutSecrets(each, secrets)]));
}
