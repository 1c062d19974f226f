import { type DashboardModel, shownNode } from '../model/model.ts';
import { type Frame, fitFrame, line, type Size, span } from '../screen/frame.ts';
import { awayView } from './away-view.ts';
import { helpBar, nodeBar } from './bars.ts';
import { logsView } from './log-view.ts';
import { monitorView } from './monitor-view.ts';
import { nodesView } from './nodes-view.ts';
import { resourcesView } from './resources-view.ts';
import { summaryView } from './summary-view.ts';

/** The screens do not fit below this size. */
export const leastSize: Size = { columns: 80, rows: 24 };

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
  const body = fitFrame(bodyOf(model, columns, rows - 2, now), { columns, rows: rows - 2 });
  return [nodeBar(model, columns, now), ...body, helpBar(model, columns)];
}

function bodyOf(model: DashboardModel, width: number, rows: number, now: Date): Frame {
  if (model.screen === 'nodes') return nodesView(model, width, rows, now);
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
