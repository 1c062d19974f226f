import { arrangeDocument } from './arrange-document.ts';
import type { Configuration } from './config-document.ts';
import { encodeYaml } from './yaml/encode-yaml.ts';

/**
 * The documents as one stream: the legacy document first, then the others in their order.
 *
 * Source: Talos v1.14: machine configuration, encoding.
 */
export function encodeConfiguration(configuration: Configuration): string {
  return configuration.map((document) => encodeYaml(arrangeDocument(document, 'natural'))).join('---\n');
}
