import type { NodeClient } from '@nodewright/client';
import { faultFrom } from '@nodewright/fault';
import type { Resource, ResourceDefinitionSpec } from '@nodewright/state';
import type { CliEnvironment } from '../command-module.ts';
import { NodeErrors } from '../node-errors.ts';
import { showWait } from '../progress.ts';
import { stateOf } from './get-resources.ts';
import { listDefinitions } from './resolve-kind.ts';

/** The kinds that a node has. @throws ReportedFailure for a node that does not say, which may be an old one */
export async function definitionsOf(
  env: CliEnvironment,
  node: NodeClient,
): Promise<readonly Resource<ResourceDefinitionSpec>[]> {
  const errors = new NodeErrors(env);
  const listed = showWait(env.stderr, node.name, listDefinitions(stateOf(node), env.signal));
  const definitions = await listed.catch((error) => errors.add(node.name, faultFrom(error)));
  errors.end();
  return definitions ?? [];
}
