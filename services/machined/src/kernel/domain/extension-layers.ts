import { Fault } from '@nodewright/fault';
import type { ExtensionStatusSpec } from '@nodewright/state/kinds';
import { parse } from 'yaml';

/** Written when the image was built. Source: Talos v1.14: extensions, running node file. */
export const extensionsFile = '/etc/extensions.yaml';

/**
 * The extensions that the system was started with, from the lowest to the uppermost, from the text of `extensionsFile`.
 *
 * @throws Fault `data-loss` for a text that is not such a list
 */
export function extensionLayers(text: string): ExtensionStatusSpec[] {
  const { layers } = fields(parseYaml(text));
  if (!Array.isArray(layers)) throw unreadable('it has no list of layers');
  return layers.map((layer: unknown) => {
    const { image, metadata } = fields(layer);
    if (typeof image !== 'string' || image === '') throw unreadable('a layer has no image');
    const given = fields(metadata);
    return {
      image,
      metadata: {
        name: textOf(given.name),
        version: textOf(given.version),
        author: textOf(given.author),
        description: textOf(given.description),
        compatibility: { talos: { version: textOf(fields(fields(given.compatibility).talos).version) } },
        extraInfo: textOf(given.extraInfo),
      },
    };
  });
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 0 });
  } catch {
    throw unreadable('it is not YAML');
  }
}

const unreadable = (reason: string) => new Fault('data-loss', `${extensionsFile} is not readable: ${reason}`);

const fields = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
