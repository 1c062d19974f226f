import { escapeText } from '../../output/escape-text.ts';

/**
 * One line of JSON in which no text can change how the page is read: control characters, marks of text direction and invisible
 * characters are escaped visibly, also in keys. A bigint becomes a number: none here needs more than 53 bits.
 */
export function safeJson(value: unknown): string {
  return JSON.stringify(value, safeValue);
}

function safeValue(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return escapeText(value);
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const keys = Object.keys(value);
  if (keys.every((key) => escapeText(key) === key)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [escapeText(key), each]));
}
