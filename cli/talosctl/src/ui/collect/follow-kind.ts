import { Fault } from '@nodewright/fault';
import type { EncodedSpec, Resource, ResourceDefinitionSpec } from '@nodewright/state';
import { keepTrying } from '../../dashboard/feed/feed-context.ts';
import { followResources, readKinds } from '../../dashboard/feed/follow-resources.ts';
import { documentLines } from '../../dashboard/model/browse.ts';
import { stateOf } from '../../get/get-resources.ts';
import { listDefinitions } from '../../get/resolve-kind.ts';
import { kindCells } from '../../get/resource-table.ts';
import { shownResource } from '../../get/shown-resource.ts';
import { limits } from '../domain/limits.ts';
import type { KindRow, ResourceRow } from '../protocol/messages.ts';
import type { PageFeedContext } from './page-feed-context.ts';

/** Lists the kinds of a node. */
export function listKinds(context: PageFeedContext): Promise<void> {
  return readKinds({
    ...context,
    emit(event) {
      if (event.kind === 'kinds')
        context.emit({ kind: 'kinds', kinds: event.kinds.map(kindRow).sort(byName) });
      if (event.kind === 'browse-problem') context.emit({ kind: 'problem', message: event.message });
    },
  });
}

const kindRow = ({
  type,
  displayType,
  defaultNamespace,
  aliases,
  sensitivity,
  printColumns,
}: ResourceDefinitionSpec): KindRow => {
  const isSecret = sensitivity === 'sensitive';
  const columns = isSecret ? [] : printColumns.slice(0, limits.columns).map(({ name }) => name);
  return { type, name: displayType, namespace: defaultNamespace, aliases, isSecret, columns };
};

const byName = (a: KindRow, b: KindRow) => (a.name < b.name ? -1 : 1);

/** Follows all resources of a kind. Specs of secret kinds are not sent. */
export async function followKind(context: PageFeedContext, type: string): Promise<void> {
  const { emit } = context;
  const definition = await findDefinition(context, type);
  if (definition === undefined) return;
  const isSecret = definition.sensitivity === 'sensitive';
  const read = isSecret ? () => [] : kindCells(definition.printColumns.slice(0, limits.columns));
  let sent: Map<string, Resource<EncodedSpec>> | undefined;
  await followResources(
    {
      ...context,
      emit(event) {
        if (event.kind === 'browse-problem') emit({ kind: 'problem', message: event.message });
        if (event.kind !== 'listed' || event.listed === undefined) return;
        const now = new Map(event.listed.resources.map((resource) => [resource.metadata.id, resource]));
        const changed = [...now.values()].filter((resource) => sent?.get(resource.metadata.id) !== resource);
        const gone = [...(sent?.keys() ?? [])].filter((id) => !now.has(id));
        const isWhole = sent === undefined;
        sent = now;
        emit({
          kind: 'resources',
          isWhole,
          changed: changed.map((each) => resourceRow(each, isSecret, read)),
          gone,
        });
      },
    },
    { namespace: definition.defaultNamespace, type },
  );
}

async function findDefinition(
  { node, signal, emit }: PageFeedContext,
  type: string,
): Promise<ResourceDefinitionSpec | undefined> {
  const done = new AbortController();
  let found: ResourceDefinitionSpec | undefined;
  await keepTrying(
    AbortSignal.any([signal, done.signal]),
    async () => {
      const definitions = await listDefinitions(stateOf(node), signal);
      found = definitions.find(({ spec }) => spec.type === type)?.spec;
      if (found === undefined) throw new Fault('not-found', 'the node has no such kind of resources');
      done.abort();
    },
    (message) => emit({ kind: 'problem', message }),
  );
  return found;
}

function resourceRow(
  resource: Resource<EncodedSpec>,
  isSecret: boolean,
  read: (spec: unknown) => readonly string[],
): ResourceRow {
  const { id, version, phase, owner, updatedMs } = resource.metadata;
  const yaml = documentLines(resource, isSecret).join('\n');
  return {
    ...{ id, version, phase, owner, updatedMs, cells: cellsOf(resource, read) },
    yaml: yaml.length > limits.documentLength ? `${yaml.slice(0, limits.documentLength)}\n…` : yaml,
  };
}

/** What the columns of its kind show of a resource; nothing when its spec cannot be read, which its document says. */
function cellsOf(
  resource: Resource<EncodedSpec>,
  read: (spec: unknown) => readonly string[],
): readonly string[] {
  try {
    return read(shownResource('', resource).spec).map((cell) =>
      cell.length > limits.cellLength ? `${cell.slice(0, limits.cellLength)}…` : cell,
    );
  } catch {
    return [];
  }
}
