import { isSlot, type Slot } from '@nodewright/boot';
import { createdSystem, type NodeWish } from './plan-node-system.ts';

/** What the file with the choice of a node may have. A longer one counts as damaged. */
export const wishBytes = 1024;

const digestForm = /^sha256:[0-9a-f]{64}$/;
const keys: readonly string[] = ['default', 'once', 'systems'];

/** Reads what a node wants. @returns undefined for anything that is not exactly of this form */
export function parseNodeWish(bytes: Uint8Array): NodeWish | undefined {
  if (bytes.length > wishBytes) return undefined;
  const found = mappingFrom(jsonFrom(bytes));
  if (found === undefined || Object.keys(found).some((key) => !keys.includes(key))) return undefined;
  const systems = mappingFrom(found.systems === undefined ? {} : found.systems);
  if (systems === undefined) return undefined;
  const isKnown = ([slot, id]: [string, unknown]) =>
    isSlot(slot) && typeof id === 'string' && (id === createdSystem || digestForm.test(id));
  if (!Object.entries(systems).every(isKnown)) return undefined;
  const { default: byDefault, once } = found;
  if (!isSlotOrNone(byDefault) || !isSlotOrNone(once)) return undefined;
  return { default: byDefault, once, systems: systems as NodeWish['systems'] };
}

/** The text of the file. */
export const encodeNodeWish = ({ default: byDefault, once, systems }: NodeWish): string =>
  `${JSON.stringify({ default: byDefault, once, systems })}\n`;

const isSlotOrNone = (value: unknown): value is Slot | undefined =>
  value === undefined || (typeof value === 'string' && isSlot(value));

function jsonFrom(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const mappingFrom = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
