import type { NodeClient, TalosClient } from '@nodewright/client';
import { Fault, faultFrom } from '@nodewright/fault';
import { pointerTo } from '@nodewright/state';
import { parse } from 'yaml';
import { CommandLimit } from '../context/command-limit.ts';
import type { CliEnvironment } from '../context/command-module.ts';
import { showWait } from '../context/progress.ts';
import { definitionsOf } from '../get/definitions-of.ts';
import { encodedStateOf } from '../get/get-resources.ts';
import { resolveKind } from '../get/resolve-kind.ts';
import { activeId, configurationKind } from './configuration-kind.ts';

const storedId = 'persistent';

/** How long a node may take to answer: one that hangs must not keep the command from the nodes after it. Nanoseconds. */
export const answerNanos = 30_000_000_000n;

/**
 * Rejects every resource type except machine configurations, because no other can be changed. The first node resolves
 * the name of the type.
 *
 * @param verb the rejected change, such as `patched`
 */
export async function checkKind(
  env: CliEnvironment,
  client: TalosClient,
  word: string,
  verb: string,
): Promise<void> {
  const [first] = client.targets;
  if (first === undefined) return;
  using limit = new CommandLimit(answerNanos, env.signal);
  const { type } = resolveKind(await definitionsOf(env, first, limit), word);
  if (type === configurationKind.type) return;
  throw new Fault(
    'invalid-argument',
    `resources of type ${type} cannot be ${verb}: only a machineconfig can, and nodes derive the other resources from it`,
  );
}

/**
 * The active configuration of a node, as text. If the resource has annotations, its spec is a YAML string with the
 * configuration. Old nodes set no annotations, and their spec is the configuration itself. Rejects with a Fault `deadline-exceeded`
 * when the node has not answered in 30 s.
 * Source: Talos v1.14: machine configuration as a resource.
 */
export function activeConfiguration(env: CliEnvironment, node: NodeClient): Promise<string> {
  return configurationOf(env, node, activeId);
}

/** The configuration that a node will use after its next boot; `undefined` for nodes without this resource. */
export function storedConfiguration(env: CliEnvironment, node: NodeClient): Promise<string | undefined> {
  return configurationOf(env, node, storedId).catch((error) => {
    if (faultFrom(error).kind === 'not-found') return undefined;
    throw error;
  });
}

async function configurationOf({ signal, stderr }: CliEnvironment, node: NodeClient, id: string) {
  using limit = new CommandLimit(answerNanos, signal);
  const read = encodedStateOf(node).get(pointerTo(configurationKind, id), { signal: limit.signal });
  const { metadata, spec } = await showWait(stderr, node.name, limit.guard(read));
  if (Object.keys(metadata.annotations).length === 0) return spec.yaml;
  const text: unknown = parse(spec.yaml);
  if (typeof text === 'string') return text;
  throw new Fault('internal', 'the spec of the machine configuration is not a string');
}
