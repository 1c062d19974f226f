import { resourceColumns } from '../../get/resource-table.ts';
import { shownResource } from '../../get/shown-resource.ts';
import { cutText, terminalText } from '../../output/terminal-text.ts';
import {
  documentLines,
  enteredKind,
  enteredResource,
  isListed,
  shownKinds,
  shownResources,
} from '../model/browse.ts';
import { type DashboardModel, shownNode } from '../model/model.ts';
import { type Frame, line, restyled, span } from '../screen/frame.ts';
import { heading, table, windowOf } from '../screen/widgets.ts';
import { narrow, wide } from './layout.ts';

/** Screen F3: the kinds, the resources of one kind, or one resource. */
export function resourcesView(model: DashboardModel, width: number, rows: number): Frame {
  switch (model.place.level) {
    case 'kinds':
      return kindsView(model, width, rows);
    case 'resources':
      return resourceList(model, width, rows);
    case 'document':
      return documentView(model, width, rows);
  }
}

/** A table under a heading, scrolled to the selected row. */
function chosenList(
  title: string,
  note: string,
  [titles = [], ...lines]: Frame,
  chosen: number,
  width: number,
  rows: number,
): Frame {
  const from = windowOf(lines.length, rows - 2, chosen);
  const shown = lines
    .map((parts, at) => (at === chosen ? restyled(parts, 'chosen') : parts))
    .slice(from, from + rows - 2);
  return [heading(title, width, note), titles, ...shown];
}

const filterNote = ({ filter }: DashboardModel, count: number) =>
  `${filter === '' ? '' : `/${filter} `}${count}`;

function problemOr(model: DashboardModel, nothing: string): Frame {
  const { browseProblem } = shownNode(model);
  return [line(), line(span(`  ${browseProblem ?? nothing}`, browseProblem === undefined ? 'dim' : 'bad'))];
}

function kindsView(model: DashboardModel, width: number, rows: number): Frame {
  const kinds = shownKinds(model);
  const { kinds: known, browseProblem } = shownNode(model);
  if (known === undefined || (known.length === 0 && browseProblem !== undefined)) {
    return [heading('Kinds of resources', width), ...problemOr(model, 'waiting for the kinds ...')];
  }
  const [isNarrow, isWide] = [width < narrow, width >= wide];
  const cells = kinds.map(({ type, displayType, defaultNamespace, sensitivity, aliases }) => [
    ` ${displayType}`,
    ...(isNarrow ? [] : [defaultNamespace]),
    sensitivity === 'sensitive' ? 'secret' : '',
    aliases.join(' '),
    ...(isWide ? [type] : []),
  ]);
  const columns = [
    { title: ' KIND', most: 34 },
    ...(isNarrow ? [] : [{ title: 'NAMESPACE' }]),
    { title: '' },
    { title: 'SHORT', most: 40 },
    ...(isWide ? [{ title: 'TYPE', most: 200 }] : []),
  ];
  return chosenList(
    'Kinds of resources',
    filterNote(model, kinds.length),
    table(columns, cells, width),
    model.place.kindAt,
    width,
    rows,
  );
}

function resourceList(model: DashboardModel, width: number, rows: number): Frame {
  const kind = enteredKind(model);
  const title = kind?.type ?? model.place.type ?? '';
  const resources = shownResources(model);
  if (kind === undefined || resources.length === 0) {
    return [
      heading(title, width, filterNote(model, 0)),
      ...problemOr(model, isListed(model) ? 'there is none' : 'waiting for the resources ...'),
    ];
  }
  const { header, row } = resourceColumns(kind, false);
  // Node, namespace and type are the same in every row, so they have no column.
  const skipped = 3;
  const cells = resources.map((resource) => {
    try {
      return row(shownResource('', resource)).slice(skipped);
    } catch {
      return [resource.metadata.id, String(resource.metadata.version)];
    }
  });
  const columns = header
    .slice(skipped)
    .map((name, at) => ({ title: at === 0 ? ` ${name}` : name, most: at === 0 ? 44 : 60 }));
  const spaced = cells.map(([id = '', ...rest]) => [` ${id}`, ...rest]);
  return chosenList(
    title,
    filterNote(model, resources.length),
    table(columns, spaced, width),
    model.place.resourceAt,
    width,
    rows,
  );
}

function documentView(model: DashboardModel, width: number, rows: number): Frame {
  const resource = enteredResource(model);
  const title = `${model.place.type ?? ''} ${model.place.id ?? ''}`;
  if (resource === undefined)
    return [
      heading(title, width),
      ...problemOr(model, isListed(model) ? 'it is gone' : 'waiting for the resource ...'),
    ];
  const isSecret = enteredKind(model)?.sensitivity === 'sensitive';
  const lines = documentLines(resource, isSecret);
  const room = rows - 1;
  const from = Math.max(0, Math.min(model.place.scroll, lines.length - room));
  const note =
    lines.length > room ? `${from + 1}-${Math.min(from + room, lines.length)} of ${lines.length}` : '';
  const shown = lines
    .slice(from, from + room)
    .map((text) => line(span(` ${cutText(terminalText(text), width - 1)}`)));
  return [heading(title, width, note), ...shown];
}
