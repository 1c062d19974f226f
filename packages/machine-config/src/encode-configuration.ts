import { arrangeDocument } from './arrange-document.ts';
import type { ConfigDocument, Configuration } from './config-document.ts';
import { type CommentModes, describeDocument } from './docs/describe-document.ts';
import { encodeYaml } from './yaml/encode-yaml.ts';

const noComments: CommentModes = { docs: false, examples: false };

/**
 * The documents as one stream: the legacy document first, then the others in their order; without comments unless
 * asked for. What a JSON patch made is written as JSON turned into YAML: keys sorted, columns of 2, never with comments.
 *
 * Source: Talos v1.14: machine configuration, encoding.
 */
export function encodeConfiguration(
  configuration: Configuration,
  comments: CommentModes = noComments,
): string {
  return configuration.map((document) => encodeDocument(document, comments)).join('---\n');
}

function encodeDocument(document: ConfigDocument, comments: CommentModes): string {
  if (document.tree) return encodeYaml(document.tree, { style: 'json' });
  if (!comments.docs && !comments.examples) return encodeYaml(arrangeDocument(document, 'natural'));
  const arranged = arrangeDocument(document, 'bytewise');
  return encodeYaml(arranged, { comment: describeDocument(document.kind, arranged, comments) });
}
