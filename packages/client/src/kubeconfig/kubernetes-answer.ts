import { Fault, type FaultKind } from '@nodewright/fault';
import type { JsonObject } from '@nodewright/state';

export interface KubernetesAnswer {
  readonly status: number;
  readonly body: string;
}

const kinds: Readonly<Record<number, FaultKind>> = {
  400: 'invalid-argument',
  401: 'unauthenticated',
  403: 'permission-denied',
  404: 'not-found',
  409: 'aborted',
  422: 'invalid-argument',
  429: 'resource-exhausted',
};

/** An answer may repeat the whole object. */
const maxMessageLength = 500;

/**
 * The object in the body of an answer.
 *
 * @param expected the statuses of a success
 * @throws Fault with what the API server says when it answers with another status
 */
export function answeredObject({ status, body }: KubernetesAnswer, ...expected: number[]): JsonObject {
  const value = jsonOf(body);
  if (expected.includes(status) && value !== undefined) return value;
  const message = typeof value?.message === 'string' ? value.message : `HTTP ${status}`;
  const short = message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}…` : message;
  throw new Fault(kinds[status] ?? 'internal', short);
}

function jsonOf(body: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
