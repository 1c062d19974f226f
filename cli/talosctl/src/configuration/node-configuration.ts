import type { NodeClient, TalosClient } from '@nodewright/client';
import { Fault } from '@nodewright/fault';
import { type EncodedSpec, type KindRef, pointerTo } from '@nodewright/state';
import { parse } from 'yaml';
import type { CliEnvironment } from '../command-module.ts';
import { definitionsOf } from '../get/definitions-of.ts';
import { encodedStateOf } from '../get/get-resources.ts';
import { resolveKind } from '../get/resolve-kind.ts';
import { showWait } from '../progress.ts';

/** The one kind whose resources can be changed through the API, and the one that is in force. */
export const configurationKind: KindRef<EncodedSpec> = {
  namespace: 'config',
  type: 'MachineConfigs.config.talos.dev',
};
export const activeId = 'v1alpha1';

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
export async function activeConfiguration(env: CliEnvironment, node: NodeClient): Promise<string> {
  const asked = encodedStateOf(node).get(pointerTo(configurationKind, activeId), {
    signal: env.signal,
  });
  const { metadata, spec } = await showWait(env.stderr, node.name, asked);
  if (Object.keys(metadata.annotations).length === 0) return spec.yaml;
  const text: unknown = parse(spec.yaml);
  if (typeof text === 'string') return text;
  throw new Fault('internal', 'the spec of its machine configuration is no text');
}
