import type { Resource } from '@nodewright/contract/gen/cosi/resource/resource.ts';
import { faultFrom } from '@nodewright/fault';
import { parse } from 'yaml';
import type { NodeClient } from '../node-client.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the spec of a resource; `undefined` when the resource does not exist or the node serves no
 * resources.
 */
export async function readResource(
  node: NodeClient,
  resource: { readonly namespace: string; readonly type: string; readonly id: string },
  signal: AbortSignal,
): Promise<Fields | undefined> {
  try {
    const answer = await node.state.get({ ...resource, options: {} }, { signal });
    return fieldsOf(answer.resource);
  } catch (error) {
    const { kind } = faultFrom(error);
    if (kind === 'unimplemented' || kind === 'not-found') return undefined;
    throw error;
  }
}

/** Returns the specs of all resources of a type; `undefined` when the node serves no resources. */
export async function listResources(
  node: NodeClient,
  resources: { readonly namespace: string; readonly type: string },
  signal: AbortSignal,
): Promise<Fields[] | undefined> {
  const found = await listWithIds(node, resources, signal);
  return found?.map(([, fields]) => fields);
}

/** Like `listResources`, with the id of each. */
export async function listWithIds(
  node: NodeClient,
  resources: { readonly namespace: string; readonly type: string },
  signal: AbortSignal,
): Promise<(readonly [string, Fields])[] | undefined> {
  const found: (readonly [string, Fields])[] = [];
  try {
    for await (const { resource } of node.state.list({ ...resources, options: {} }, { signal })) {
      found.push([resource?.metadata?.id ?? '', fieldsOf(resource)]);
    }
    return found;
  } catch (error) {
    if (faultFrom(error).kind === 'unimplemented') return undefined;
    throw error;
  }
}

function fieldsOf(resource: Resource | undefined): Fields {
  const fields: unknown = parse(resource?.spec?.yamlSpec ?? '');
  return typeof fields === 'object' && fields !== null ? (fields as Fields) : {};
}
