import { arrangeDocument } from './arrange-document.ts';
import type { ConfigDocument, Configuration } from './config-document.ts';
import { type CommentModes, describeDocument } from './docs/describe-document.ts';
import { encodeYaml } from './yaml/encode-yaml.ts';

const noComments: CommentModes = { docs: false, examples: false };

/**
 * Encodes the documents as one YAML stream in their order, optionally with comments. The result of a JSON
 * patch is written like JSON converted to YAML: sorted keys, 2 spaces of indentation, no comments.
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
