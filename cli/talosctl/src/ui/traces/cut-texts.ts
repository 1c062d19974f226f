import type { TraceSpan } from '../protocol/traces.ts';

const longestText = 2000;
const mostAttributes = 100;

export const cut = (text: string) => (text.length > longestText ? `${text.slice(0, longestText)}…` : text);

/** The first attributes, with texts of limited length. */
export function cutTexts(attributes: TraceSpan['attributes']): TraceSpan['attributes'] {
  return Object.fromEntries(
    Object.entries(attributes)
      .slice(0, mostAttributes)
      .map(([key, value]) => [cut(key), typeof value === 'string' ? cut(value) : value]),
  );
}
