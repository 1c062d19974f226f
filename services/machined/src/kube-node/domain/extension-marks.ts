import type { ExtensionStatusSpec } from '@nodewright/state/kinds';

/** The version of each system extension, as a label or, where it is no valid label, as an annotation of the node. */
export interface ExtensionMarks {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Source: Talos v1.14: labels, taints, annotations, cordon. */
const prefix = 'extensions.talos.dev/';
/** Source: Kubernetes: labels. */
const maxLength = 63;
const name = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const isName = (text: string) => text.length <= maxLength && name.test(text);

export function extensionMarks(extensions: readonly ExtensionStatusSpec[]): ExtensionMarks {
  const labels: Record<string, string> = {};
  const annotations: Record<string, string> = {};
  for (const { metadata } of extensions) {
    const { name: extension = '', version = '' } = metadata ?? {};
    if (!isName(extension)) continue;
    (version === '' || isName(version) ? labels : annotations)[prefix + extension] = version;
  }
  return { labels, annotations };
}
