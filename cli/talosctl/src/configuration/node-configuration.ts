import type { NodeClient, TalosClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import { pointerTo } from '@nodewright/state';
import { parse } from 'yaml';
import type { CliEnvironment } from '../command-module.ts';
import { definitionsOf } from '../get/definitions-of.ts';
import { encodedStateOf } from '../get/get-resources.ts';
import { resolveKind } from '../get/resolve-kind.ts';
import { showWait } from '../progress.ts';
import { activeId, configurationKind } from './configuration-kind.ts';

const storedId = 'persistent';

/**
 * Refuses every kind but that of machine configurations: no other can be changed. What a word means is asked of the
 * first node.
 *
 * @param verb what was to be done, as in `patched`
 */
export async function checkKind(
  env: CliEnvironment,
  client: TalosClient,
  word: string,
  verb: string,
): Promise<void> {
  const [first] = client.targets;
  if (first === undefined) return;
  const { type } = resolveKind(await definitionsOf(env, first), word);
  if (type === configurationKind.type) return;
  throw new Fault(
    'invalid-argument',
    `resources of type ${type} cannot be ${verb}, only a machineconfig: nodes derive all others from it`,
  );
}

/**
 * The configuration that is in force on a node, as text. Its spec in YAML is one text when the resource has
 * annotations, and the documents themselves on old nodes, which set none. Source: Talos v1.14: machine configuration
 * as a resource.
 */
export function activeConfiguration(env: CliEnvironment, node: NodeClient): Promise<string> {
  return configurationOf(env, node, activeId);
}

/** The configuration that a node starts with next time; undefined for nodes that do not tell. */
export function storedConfiguration(env: CliEnvironment, node: NodeClient): Promise<string | undefined> {
  return configurationOf(env, node, storedId).catch((error) => {
    if (faultFrom(error).kind === 'not-found') return undefined;
    throw error;
  });
}

async function configurationOf({ signal, stderr }: CliEnvironment, node: NodeClient, id: string) {
  const asked = encodedStateOf(node).get(pointerTo(configurationKind, id), { signal });
  const { metadata, spec } = await showWait(stderr, node.name, asked);
  if (Object.keys(metadata.annotations).length === 0) return spec.yaml;
  const text: unknown = parse(spec.yaml);
  if (typeof text === 'string') return text;
  throw new Fault('internal', 'the spec of its machine configuration is no text');
}
