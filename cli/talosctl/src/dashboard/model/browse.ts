import { faultFrom } from '@nodewright/fault';
import type { EncodedSpec, Resource, ResourceDefinitionSpec } from '@nodewright/state';
import { shownResource } from '../../get/shown-resource.ts';
import { yamlDocument } from '../../get/yaml-document.ts';
import { type DashboardModel, shownNode } from './model.ts';

/** The kinds that match the filter: first those with a name that is equal, then those with one that begins so, each by type. */
export function shownKinds(model: DashboardModel): readonly ResourceDefinitionSpec[] {
  const { kinds = [] } = shownNode(model);
  const wanted = model.place.level === 'kinds' ? model.filter.toLowerCase() : '';
  const rank = ({ type, displayType, allAliases }: ResourceDefinitionSpec): number => {
    const names = [type, displayType, ...allAliases].map((name) => name.toLowerCase());
    if (wanted === '') return 0;
    const [isEqual, begins] = [names.includes(wanted), names.some((name) => name.startsWith(wanted))];
    if (isEqual || begins) return isEqual ? 0 : 1;
    return names.some((name) => name.includes(wanted)) ? 2 : unmatched;
  };
  return kinds
    .map((kind) => ({ kind, at: rank(kind) }))
    .filter(({ at }) => at !== unmatched)
    .sort((a, b) => a.at - b.at || (a.kind.type < b.kind.type ? -1 : 1))
    .map(({ kind }) => kind);
}

const unmatched = 3;

/** The resources of the open kind that match the filter. */
export function shownResources(model: DashboardModel): readonly Resource<EncodedSpec>[] {
  const wanted = model.place.level === 'resources' ? model.filter.toLowerCase() : '';
  return resourcesOfKind(model).filter(({ metadata }) => metadata.id.toLowerCase().includes(wanted));
}

function resourcesOfKind(model: DashboardModel): readonly Resource<EncodedSpec>[] {
  return isListed(model) ? (shownNode(model).listed?.resources ?? []) : [];
}

/** Whether the resources of the open kind have arrived. */
export const isListed = (model: DashboardModel): boolean =>
  shownNode(model).listed?.type === model.place.type;

/** The definition of the open kind. */
export function enteredKind(model: DashboardModel): ResourceDefinitionSpec | undefined {
  return shownNode(model).kinds?.find(({ type }) => type === model.place.type);
}

/** The open resource; undefined when it is gone. */
export function enteredResource(model: DashboardModel): Resource<EncodedSpec> | undefined {
  return resourcesOfKind(model).find(({ metadata }) => metadata.id === model.place.id);
}

/**
 * A resource as lines of YAML. Secret specs are not shown on a screen that others may see; `get -o yaml`
 * prints them.
 */
export function documentLines(resource: Resource<EncodedSpec>, isSecret: boolean): readonly string[] {
  const { metadata } = resource;
  if (isSecret) {
    const hint = `secret: talosctl get ${metadata.type} ${metadata.id} -o yaml shows it`;
    return yamlDocument({ node: '', metadata, spec: null })
      .replace(/spec: null\n?$/, `spec: # ${hint}`)
      .split('\n')
      .slice(1);
  }
  try {
    return yamlDocument(shownResource('', resource)).trimEnd().split('\n').slice(1);
  } catch (error) {
    return [faultFrom(error).message];
  }
}
