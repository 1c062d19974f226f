import { isLabelValue, labelKeyProblem } from '../forms/names.ts';
import type { CheckedDocument } from './checked-document.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const ownAnnotations = ['talos.dev/owned-labels', 'talos.dev/owned-annotations', 'talos.dev/owned-taints'];
const maxAnnotationsSizeBytes = 262_144;

/** Paths of the three maps in a document. */
export interface NodeMetadataPaths {
  readonly labels: readonly string[];
  readonly annotations: readonly string[];
  readonly taints: readonly string[];
}

/** Source: Talos v1.14: machine configuration, label, annotation and taint rules. */
export function checkNodeMetadata(document: CheckedDocument, paths: NodeMetadataPaths): void {
  const { labels, annotations, taints } = paths;
  for (const [key, value] of Object.entries(document.textMap(...labels))) {
    checkKey(document, labels, key);
    if (!isLabelValue(value)) document.refuse('is not a valid label value', ...labels, key);
  }
  checkAnnotations(document, annotations);
  for (const [key, text] of Object.entries(document.textMap(...taints))) {
    checkKey(document, taints, key);
    const colon = text.indexOf(':');
    if (!effects.includes(text.slice(colon + 1)))
      document.refuse(
        `must be an effect or value:effect, the effect one of ${effects.join(', ')}`,
        ...taints,
        key,
      );
    if (!isLabelValue(text.slice(0, Math.max(colon, 0))))
      document.refuse('has a value that is not a valid label value', ...taints, key);
  }
}

function checkAnnotations(document: CheckedDocument, path: readonly string[]): void {
  let sizeBytes = 0;
  for (const [key, value] of Object.entries(document.textMap(...path))) {
    checkKey(document, path, key);
    if (ownAnnotations.includes(key)) document.refuse('is reserved for the system', ...path, key);
    sizeBytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (sizeBytes > maxAnnotationsSizeBytes)
    document.refuse(`must be ${maxAnnotationsSizeBytes} bytes at most`, ...path);
}

function checkKey(document: CheckedDocument, path: readonly string[], key: string): void {
  const problem = labelKeyProblem(key);
  if (problem !== undefined) document.refuse(problem, ...path, key);
}
