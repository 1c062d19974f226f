// Requests to the families of generic netlink, such as `wireguard` and `ethtool`. Numbers are those of <linux/genetlink.h>. The kernel
// answers within the call, so all of this is synchronous.
import { getSystemErrorName } from 'node:util';
import { Fault } from '@nodewright/fault';
import type { NativeCalls } from '../native-calls.ts';
import {
  type Attributes,
  attributeList,
  attributeNumber,
  attributesOf,
  attributeText,
  encodeAttribute,
} from './attributes.ts';
import { collectAnswers } from './collect-answers.ts';
import { encodeMessage, netlinkFlags, requireBytes } from './netlink-message.ts';
import { genericProtocol, openNetlinkSocket } from './netlink-socket.ts';
import { askForExplanations, refusalOf } from './refusal.ts';

/** A family of the kernel. Its number may be another one after the module was loaded again. */
export interface GenericFamily {
  readonly id: number;
  readonly version: number;
  /** Numbers of its multicast groups by their names. */
  readonly groups: ReadonlyMap<string, number>;
}

export interface GenericRequest {
  readonly command: number;
  /** Attributes, as `encodeAttribute()` writes them. */
  readonly payload: Uint8Array;
  /** Whether all entries are asked for; otherwise the kernel acknowledges what it has done. */
  readonly isDump?: boolean;
  /** Names of errnos that are no failure, such as `ENODEV`, or that none is. */
  readonly allowed?: readonly string[] | 'any';
}

const headerBytes = 4;
const controller = { id: 16, version: 1, getFamily: 3 } as const;
const attribute = { familyId: 1, familyName: 2, version: 3, groups: 7 } as const;
const group = { name: 1, id: 2 } as const;
/** Whether the kernel has no such family, which it reports as ENOENT. */
const noSuchFamily = 'ENOENT';
/** The kernel reports when something changed during a dump; the dump is repeated this many times at most. */
const maxAttempts = 4;

/**
 * Finds a family by its name; undefined when the kernel does not have it. The kernel may load a module for it.
 *
 * @throws Fault `unavailable` when the kernel does not answer, `data-loss` for an invalid answer
 */
export function findGenericFamily(calls: NativeCalls, name: string): GenericFamily | undefined {
  const [answer] = requestGeneric(calls, controllerFamily, {
    command: controller.getFamily,
    payload: encodeAttribute(attribute.familyName, Buffer.from(`${name}\0`)),
    allowed: [noSuchFamily],
  });
  return answer && decodeGenericFamily(answer);
}

const controllerFamily: GenericFamily = {
  id: controller.id,
  version: controller.version,
  groups: new Map(),
};

/**
 * Decodes the answer of the controller about a family.
 *
 * @throws Fault `data-loss` for an invalid attribute, or without a number of the family
 */
export function decodeGenericFamily(payload: Uint8Array): GenericFamily {
  const attributes = attributesOf(payload);
  const id = attributeNumber(attributes, attribute.familyId);
  if (id === undefined) throw new Fault('data-loss', 'netlink: a family without a number');
  const groups = attributeList(attributes.get(attribute.groups) ?? new Uint8Array())
    .map(([, bytes]): Attributes => attributesOf(bytes))
    .map((each) => [attributeText(each, group.name), attributeNumber(each, group.id) ?? 0] as const);
  return { id, version: attributeNumber(attributes, attribute.version) ?? 0, groups: new Map(groups) };
}

/**
 * Sends a request to a family and returns the attributes of each answer, as `attributesOf()` reads them. Empty after an allowed errno.
 *
 * @throws Fault `unavailable` when the kernel refuses, with the name of the errno, `data-loss` for an invalid answer
 */
export function requestGeneric(
  calls: NativeCalls,
  family: GenericFamily,
  { command, payload, isDump = false, allowed = [] }: GenericRequest,
): Buffer[] {
  using socket = openNetlinkSocket(calls, 0, genericProtocol);
  askForExplanations(calls, socket.descriptor);
  const header = Buffer.from([command, family.version, 0, 0]);
  const flags = netlinkFlags.request | (isDump ? netlinkFlags.dump : netlinkFlags.acknowledge);
  for (let sequence = 1; ; sequence += 1) {
    socket.send(
      encodeMessage({ type: family.id, flags, sequence, payload: Buffer.concat([header, payload]) }),
    );
    const answers: Buffer[] = [];
    const { isWhole, errno, explanation } = collectAnswers(socket, sequence, (message) => {
      if (message.type !== family.id) return;
      requireBytes(message.payload, headerBytes, 'a generic header');
      answers.push(Buffer.from(message.payload.subarray(headerBytes)));
    });
    if (errno !== 0) {
      if (allowed === 'any' || allowed.includes(getSystemErrorName(-errno))) return [];
      throw refusalOf(errno, explanation);
    }
    if (isWhole || sequence === maxAttempts) return answers;
  }
}
