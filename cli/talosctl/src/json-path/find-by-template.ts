import { findIn } from './find-in.ts';
import type { TemplatePart } from './parse-json-path.ts';

/** The values of all parts of a template, in their order; text parts as they are. */
export function findByTemplate(template: readonly TemplatePart[], root: unknown): unknown[] {
  return template.flatMap((part) => findByPart(part, root));
}

function findByPart(part: TemplatePart, root: unknown): unknown[] {
  if (part.kind === 'text') return [part.text];
  const found = findIn(root, part.steps);
  return part.kind === 'path' ? found : found.flatMap((item) => findByTemplate(part.body, item));
}
