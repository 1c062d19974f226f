import { type DashboardModel, shownNode } from '../model/model.ts';
import { type Frame, fitFrame, line, type Size, span } from '../screen/frame.ts';
import { awayView } from './away-view.ts';
import { actionLines, helpBar, nodeBar } from './bars.ts';
import { etcdView } from './etcd-view.ts';
import { eventsView } from './events-view.ts';
import { leastSize } from './layout.ts';
import { logsView } from './log-view.ts';
import { monitorView } from './monitor-view.ts';
import { nodesView } from './nodes-view.ts';
import { overlayView } from './overlay-view.ts';
import { resourcesView } from './resources-view.ts';
import { summaryView } from './summary-view.ts';

/** The screen for a model: exactly `rows` lines of `columns` columns. */
export function renderDashboard(model: DashboardModel, size: Size, now: Date): Frame {
  const { columns, rows } = size;
  if (columns < leastSize.columns || rows < leastSize.rows) {
    const texts = [
      `The terminal has ${columns}x${rows}.`,
      `The dashboard needs ${leastSize.columns}x${leastSize.rows}:`,
      'make it larger, or press q.',
    ];
    return fitFrame(
      texts.map((text) => line(span(text, 'warning'))),
      size,
    );
  }
  const actions = actionLines(model, columns, now).slice(0, Math.floor(rows / 4));
  const room = rows - 2 - actions.length;
  const over = overlayOf(model, columns, room);
  const body = fitFrame(bodyOf(model, columns, room, now), { columns, rows: room });
  return [
    nodeBar(model, columns, now),
    ...body.slice(0, room - over.length),
    ...over,
    ...actions,
    helpBar(model, columns),
  ];
}

function overlayOf(model: DashboardModel, columns: number, room: number): Frame {
  if (model.overlay === undefined) return [];
  const lines = overlayView(model, model.overlay, columns, room);
  return fitFrame(lines, { columns, rows: Math.min(room, lines.length) });
}

function bodyOf(model: DashboardModel, width: number, rows: number, now: Date): Frame {
  if (model.screen === 'nodes') return nodesView(model, width, rows, now);
  if (model.screen === 'events') return eventsView(model, width, rows);
  // Other nodes answer about etcd, and have logs, when the selected one does not.
  if (model.screen === 'etcd') return etcdView(model, width, rows);
  if (model.screen === 'logs' && model.everywhere.logs) return logsView(model, width, rows);
  const node = shownNode(model);
  if (node.reach.kind !== 'here') return awayView(node, width, now);
  switch (model.screen) {
    case 'summary':
      return summaryView(model, width, rows, now);
    case 'monitor':
      return monitorView(model, width, rows, now);
    case 'resources':
      return resourcesView(model, width, rows);
    case 'logs':
      return logsView(model, width, rows);
  }
}
